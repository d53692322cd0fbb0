/* Any bytes as a recording: verified as they are, and with their checksums made right. What is
 * not right is said. */
#include <stdlib.h>
#include <string.h>

#include "format/verify.h"
#include "tests/format/repair.h"
#include "tests/format/in-memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void verify(const uint8_t *data, size_t size)
{
    struct pm_source source;
    struct pm_verify_result result;
    struct pm_error_info info;
    if (pm_source_from_memory(data, size, &source) != PM_OK)
        return;
    if (pm_verify(source, &result, &info) == PM_OK &&
        result.ok != (result.first_problem[0] == '\0'))
        abort();
    source.close(source.context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    verify(data, size);
    uint8_t *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, data, size);
        repair_checksums(copy, size);
        verify(copy, size);
    }
    free(copy);
    return 0;
}
