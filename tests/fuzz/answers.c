/* Any bytes as a recording: loaded, and asked for some of the answers that there are, of one range.
 * What changes it knows the format: lengths and checksums are right, so that most of it is read. */
#include "tests/attacks/answers.h"
#include "tests/format/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    guint sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    answer_bytes(data, size, 1u << sum % 4 | 16u << sum / 4 % 4);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t state = seed;
    g_autofree uint8_t *from = g_memdup2(data, size);
    return repair_reshaped(from, size, data, most, &state);
}
