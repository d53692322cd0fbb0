#include "viewer/ui/model/frame-text.h"

#include <glib.h>
#include <string.h>

/* Of "(PriceCache.java:41)": where ":41" begins; NULL when it is no such place, or the file is not
 * that of the class at `name`. */
static const char *line_of(const char *name, const char *open, const char **ret_close)
{
    const gsize of_class = strcspn(name, ".$ (");
    const char *file = open + 1, *close = strchr(open, ')');
    const char *colon = close ? memchr(file, ':', (gsize)(close - file)) : NULL;

    if (!colon || colon + 1 == close || file[of_class] != '.' || strncmp(name, file, of_class))
        return NULL;
    for (const char *at = colon + 1; at < close; at++)
        if (!g_ascii_isdigit(*at))
            return NULL;
    *ret_close = close;
    return colon;
}

char *pm_frame_text_short(const char *text)
{
    GString *result = g_string_new(NULL);
    const char *name = text; /* of the last word */

    while (*text) {
        const char *close,
            *line = text[0] == ' ' && text[1] == '(' ? line_of(name, text + 1, &close) : NULL;
        if (line) {
            g_string_append_len(result, line, close - line);
            text = close + 1;
            continue;
        }
        if (*text == ' ')
            name = text + 1;
        g_string_append_c(result, *text++);
    }
    return g_string_free(result, FALSE);
}
