#include "viewer/analysis/base/thread-name.h"

#include <string.h>

static gsize before_digits(const char *text, gsize end)
{
    while (end > 0 && g_ascii_isdigit(text[end - 1]))
        end--;
    return end;
}

/* Where the address begins that ends before `end`: "127.0.0.1", "[::1]", "localhost", the last two
 * only with a port behind; `end` when there is none. */
static gsize before_address(const char *text, gsize end, gboolean port)
{
    gsize at = end;
    if (port && at > 0 && text[at - 1] == ']') {
        while (at > 1 && strchr("0123456789abcdefABCDEF:.", text[at - 2]))
            at--;
        return at > 1 && text[at - 2] == '[' ? at - 2 : end;
    }
    static const char local[] = "localhost";
    if (port && at >= strlen(local) &&
        strncmp(text + at - strlen(local), local, strlen(local)) == 0)
        return at - strlen(local);
    for (guint part = 0; part < 4; part++) {
        gsize begin = before_digits(text, at);
        if (begin == at || at - begin > 3)
            return end;
        if (part == 3)
            return begin > 0 && text[begin - 1] == '.' ? end : begin;
        if (begin == 0 || text[begin - 1] != '.')
            return end;
        at = begin - 1;
    }
    return end;
}

/* Where it is said in which line the thread was made, as JRuby does: ": shop.rb:9" at the end; the
 * length where it is not. */
static gsize before_place(const char *text)
{
    const gsize length = strlen(text), line = before_digits(text, length);
    const char *file = g_strrstr(text, ": ");
    return file && line < length && text[line - 1] == ':' && text + line - 1 > file + 2 &&
                   g_ascii_isalpha(text[line - 2]) && !strchr(file + 2, ' ') &&
                   memchr(file, '.', (gsize)(text + line - file))
               ? (gsize)(file - text)
               : length;
}

char *pm_thread_name_group(const char *thread_name)
{
    GString *name = g_string_new(thread_name);
    const gsize place = before_place(thread_name);
    gsize end = place;

    for (gboolean address = TRUE; address;) {
        while (end > 0 && !g_ascii_isdigit(name->str[end - 1]))
            end--;
        if (end == 0)
            break;
        gsize begin = before_digits(name->str, end);
        /* An address says who is at the other end; what numbers the thread stands before it. */
        gboolean port = begin > 0 && name->str[begin - 1] == ':';
        gsize host = port ? begin - 1 : end;
        gsize at = before_address(name->str, host, port);
        address = at < host;
        if (address)
            begin = at;
        /* "tcp://10.0.0.7:56578@61616": the local port stands behind the other end. */
        address |= begin > 0 && name->str[begin - 1] == '@';
        g_string_erase(name, (gssize)begin, (gssize)(end - begin));
        g_string_insert_c(name, (gssize)begin, '*');
        end = begin;
        const char *own = place < strlen(thread_name) ? memchr(name->str, '@', begin) : NULL;
        if (own) { /* the name that a program gave it, and before it that of the runtime */
            end = (gsize)(own - name->str);
            address = TRUE;
        }
    }
    return g_string_free(name, FALSE);
}
