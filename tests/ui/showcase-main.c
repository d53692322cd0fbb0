/* showcase KIND FILE: see showcase.c. */
#include <stdio.h>

#include "tests/ui/showcase.h"

int main(int argc, char **argv)
{
    if (argc != 3 || !pm_showcase_write(argv[1], argv[2])) {
        fprintf(stderr, "usage: showcase "
                        "hot-lock|deadlock|pool|quiet|crowd|leak|dropped|alternating|counted|empty|"
                        "stopped|newer FILE\n");
        return 2;
    }
    return 0;
}
