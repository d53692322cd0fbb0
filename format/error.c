#include "format/error.h"

#include <stdarg.h>
#include <stdio.h>

int pm_error_set(struct pm_error_info *info, int code, int64_t offset, const char *format, ...)
{
    if (!info)
        return code;
    info->code = code;
    info->offset = offset;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(info->text, sizeof info->text, format, arguments);
    va_end(arguments);
    return code;
}

const char *pm_error_name(int code)
{
    static const char *const names[] = {
        "ok",       "io",          "memory",    "not a recording", "empty",
        "newer",    "truncated",   "checksum",  "malformed",       "limit",
        "argument", "overwritten", "cancelled",
    };
    unsigned index = code <= 0 ? 0u - (unsigned)code : ~0u;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}
