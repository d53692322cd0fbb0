/* Any bytes as a method's code and constants: where the object of an instruction comes from is told
 * or not, whichever instruction is asked about, and nothing else is read. The first bytes say how
 * long the code is, how many constants there are, how many arguments, and which instruction. */
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/bytecode/receiver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    size_t code_size = (size_t)(data[0] | data[1] << 8);
    if (code_size > size - HEAD)
        code_size = size - HEAD;
    struct pm_bytecode bytecode = {.code_size = code_size,
                                   .constants_size = size - HEAD - code_size,
                                   .n_constants = (uint32_t)(data[2] | data[3] << 8),
                                   .n_arguments = data[4]};
    /* Copies of their own length, so that what is read behind them is noticed. */
    uint8_t *code = malloc(code_size + 1), *constants = malloc(bytecode.constants_size + 1);
    if (!code || !constants)
        abort();
    memcpy(code, data + HEAD, code_size);
    memcpy(constants, data + HEAD + code_size, bytecode.constants_size);
    bytecode.code = code;
    bytecode.constants = constants;
    struct pm_receiver receiver;
    if (pm_bytecode_receiver(&bytecode, data[5], &receiver) == 0 &&
        (strlen(receiver.class_name) == 0 || strlen(receiver.field) == 0))
        abort();
    free(constants);
    free(code);
    return 0;
}
