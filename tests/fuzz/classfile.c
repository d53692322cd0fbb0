/* Any bytes as a class file whose calls are redirected: what is understood is understood again,
 * with every such call gone to the other method. */
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/bytecode/class-file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct pm_class_redirect there[] = {
    {{"Access", "park", "()V"}, {"Other", "rest", "(LAccess;)V"}},
    {{"Access", "park", "(J)V"}, {"Other", "rest", "(LAccess;J)V"}},
};
/* The calls that they became. */
static const struct pm_class_redirect further[] = {
    {{"Other", "rest", "(LAccess;)V"}, {"Third", "rest", "(LAccess;)V"}},
    {{"Other", "rest", "(LAccess;J)V"}, {"Third", "rest", "(LAccess;J)V"}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *once = NULL, *twice = NULL;
    size_t once_size = 0, twice_size = 0;
    uint32_t calls[2], were[2], became[2];
    if (pm_class_file_redirect(data, size, further, 2, &once, &once_size, were) != 0)
        return 0;
    free(once);
    if (pm_class_file_redirect(data, size, there, 2, &once, &once_size, calls) != 0)
        return 0;
    if (once_size < size || memcmp(data, once, 8) != 0)
        abort();
    if (pm_class_file_redirect(once, once_size, further, 2, &twice, &twice_size, became) == 0) {
        for (int i = 0; i < 2; i++)
            if (became[i] < were[i] + calls[i]) /* more: a number that meant nothing before */
                abort();
        free(twice);
    } else if (calls[0] + calls[1] == 0) {
        abort();
    }
    free(once);
    return 0;
}
