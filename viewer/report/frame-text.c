#include "viewer/report/frame-text.h"

#include <glib.h>
#include <string.h>

#define NO_FILE "(unknown)"

/* Of "(PriceCache.java:41)": where ":41" begins, of "(unknown)" its end; NULL when it is no such
 * place, or the file is not that of the class at `name`. */
static const char *line_of(const char *name, const char *open, const char **ret_close)
{
    name += *name == '~'; /* inferred */
    const gsize of_class = strcspn(name, ".$ (");
    const char *file = open + 1, *close = strchr(open, ')');
    const char *colon = close ? memchr(file, ':', (gsize)(close - file)) : NULL;

    if (g_str_has_prefix(open, NO_FILE) && memchr(name, '.', (gsize)(open - name))) {
        *ret_close = close;
        return close;
    }
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

#define DOTS "…"

static char *without(const char *text, const char *from, const char *to, const char *instead)
{
    return g_strdup_printf("%.*s%s%s", (int)(from - text), text, instead, to);
}

/* "…$Cache.load:88" of the method at `name`, "Shop$Cache.load:88": one class further in. NULL when
 * it has no outer class that is left.
 */
static char *without_outer_class(const char *text, const char *name)
{
    const gsize whole = strcspn(name, ": (");
    const char *method = g_strrstr_len(name, (gssize)whole, ".");
    const char *outer = name + (g_str_has_prefix(name, DOTS) ? strlen(DOTS) : 0) + 1;
    const char *class_name = method > outer ? memchr(outer, '$', (gsize)(method - outer)) : NULL;

    return class_name ? without(text, name, class_name, DOTS) : NULL;
}

/* Of "a < b < c": "a < b < …", "a < …$b < …" where b has an outer class, "a < …", then "a";
 * of "a < b" first "a < …$b". NULL when it is of one method. */
static char *without_callers(const char *text, const char *between)
{
    const char *last = g_strrstr(text, between);

    if (!last)
        return NULL;
    const gboolean cut = strcmp(last + strlen(between), DOTS) == 0;
    char *shorter = NULL;
    if (!cut && !g_strstr_len(text, last - text, between))
        shorter = without_outer_class(text, last + strlen(between));
    if (shorter)
        return shorter;
    g_autofree char *inner = g_strndup(text, (gsize)(last - text));
    if (!cut && g_str_has_suffix(inner, DOTS)) /* "a < … < c" */
        return g_steal_pointer(&inner);
    if (!cut)
        return without(text, last + strlen(between), text + strlen(text), DOTS);
    const char *outer = g_strrstr(inner, between);
    if (outer)
        shorter = without_outer_class(text, text + (outer - inner) + strlen(between));
    if (shorter)
        return shorter;
    return outer ? without(inner, outer + strlen(between), inner + strlen(inner), DOTS)
                 : g_strdup(inner);
}

/* Whether a method stands before the last of them: not so in "now in Shop.load". */
static gboolean is_of_frames(const char *text, const char *between)
{
    const char *word = g_strrstr(text, between);

    while (word && word > text && word[-1] != ' ' && word[-1] != '.')
        word--;
    return word && word > text && word[-1] == '.';
}

/* "…$Cache.load" of "Shop$Cache.load": a method keeps the class that it is of. */
static char *without_classes(const char *text)
{
    const char *name = strrchr(text, ' ');
    name = name ? name + 1 : text;
    name += *name == '~'; /* inferred */

    return g_ascii_isalpha(*name) || *name == '_' || g_str_has_prefix(name, DOTS "$")
               ? without_outer_class(text, name)
               : NULL;
}

/* Whether the `length` bytes at `word` are an object's hash code. */
static gboolean is_number(const char *word, gsize length)
{
    return length == 8 && strspn(word, "0123456789abcdef") >= length;
}

/* "…$Cache" of the class "Shop$Cache" from `word` to `end`: one class further in. NULL when it has
 * no outer class that is left. */
static char *without_outer_object(const char *text, const char *word, const char *end)
{
    const char *outer = word + (g_str_has_prefix(word, DOTS) ? strlen(DOTS) : 0) + 1;
    const char *class_name = outer < end ? memchr(outer, '$', (gsize)(end - outer)) : NULL;

    return class_name && class_name + 1 < end ? without(text, word, class_name, DOTS) : NULL;
}

/* Of what stands before the site of "Cache 4f3c91d2 · Shop$Cache.load" the number; then, unless
 * they are `kept`, the site's outer classes; then the class's own ones; then the class for an
 * ellipsis; then that too, where nothing else stands there. */
static char *without_object(const char *text, const char *site, gboolean kept)
{
    const char *word = site;

    while (word > text && word[-1] != ' ')
        word--;
    const gsize length = (gsize)(site - word);
    if (length == strlen(DOTS) && !strncmp(word, DOTS, length))
        return word == text ? g_strdup(site + strlen(PM_FRAME_TEXT_SITE)) : NULL;
    if (word > text && (is_number(word, length) || *word == '('))
        return without(text, word - 1, site, "");
    char *shorter = kept ? NULL : without_classes(text);
    if (!shorter)
        shorter = without_outer_object(text, word, site);
    return shorter ? shorter : without(text, word, site, DOTS);
}

/* "order-events-… (107)" of "order-events-of-all-shops-* (107)": part by part, the count stays. */
static char *without_end_of_group(const char *text)
{
    const char *count = g_strrstr(text, " (");
    const gsize digits = count ? strspn(count + 2, "0123456789") : 0;

    if (!digits || strcmp(count + 2 + digits, ")") != 0)
        return NULL;
    g_autofree char *name = g_strndup(text, (gsize)(count - text));
    if (g_str_has_suffix(name, "-" DOTS))
        name[strlen(name) - strlen("-" DOTS)] = '\0';
    char *last = strrchr(name, '-');
    return last ? without(name, last + 1, count, DOTS) : NULL;
}

static char *shorter_text(const char *text, gboolean keeps_outer)
{
    const gsize length = strlen(text);
    const char *file = g_strrstr(text, " (");
    char *shorter = without_callers(text, " < ");

    if (!shorter && file && text[length - 1] == ')' && strchr(file, ':'))
        shorter = g_strndup(text, (gsize)(file - text));
    if (!shorter && is_of_frames(text, " in "))
        shorter = without_callers(text, " in ");
    const char *site = shorter ? NULL : strstr(text, PM_FRAME_TEXT_SITE);
    if (site)
        shorter = without_object(text, site, keeps_outer);
    if (!shorter)
        shorter = without_end_of_group(text);
    return shorter ? shorter : without_classes(text);
}

char *pm_frame_text_shorter(const char *text)
{
    return shorter_text(text, FALSE);
}

char **pm_frame_text_forms(const char *text)
{
    GPtrArray *forms = g_ptr_array_new();

    for (char *form = g_strdup(text); form; form = pm_frame_text_shorter(form))
        g_ptr_array_add(forms, form);
    g_ptr_array_add(forms, NULL);
    return (char **)g_ptr_array_free(forms, FALSE);
}

char *pm_frame_text_shorter_object(const char *text)
{
    return shorter_text(text, TRUE);
}

char *pm_frame_text_shorter_site(const char *text)
{
    const char *site = strstr(text, PM_FRAME_TEXT_SITE);
    if (!site)
        return NULL;
    const char *method = site + strlen(PM_FRAME_TEXT_SITE);
    g_autofree char *shorter = pm_frame_text_shorter(method);

    return shorter ? without(text, method, "", shorter) : g_strndup(text, (gsize)(site - text));
}

char *pm_frame_text_shorter_numbered(const char *text)
{
    const char *site = strstr(text, PM_FRAME_TEXT_SITE);
    const gboolean numbered = site && site - text > 8 && is_number(site - 8, 8);

    return numbered ? pm_frame_text_shorter_site(text) : pm_frame_text_shorter(text);
}
