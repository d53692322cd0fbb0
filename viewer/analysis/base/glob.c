#include "viewer/analysis/base/glob.h"

gboolean pm_glob_match(const char *pattern, const char *text)
{
    /* One star is remembered: a later star makes an earlier one final, so no recursion. */
    const char *star = NULL, *resume = NULL;

    while (*text != 0) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return FALSE;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == 0;
}
