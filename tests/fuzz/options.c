/* Any text as the options of -agentpath: what is refused is named and changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_options initial, options;
    struct pm_error_info info = {0};
    char *text = strndup((const char *)data, size);
    if (!text)
        return 0;
    memset(&initial, 0, sizeof initial);
    pm_options_default(&initial);
    options = initial;
    const int error = pm_options_parse(&options, text, &info);
    if (error == PM_ERROR_LIMIT)
        options.strict = initial.strict;
    if (error != PM_OK) {
        if (memcmp(&options, &initial, sizeof options) != 0 || info.text[0] == '\0')
            abort();
    } else if (pm_options_check_live(&initial, &options, &info) != PM_OK && info.text[0] == '\0')
        abort();
    free(text);
    return 0;
}
