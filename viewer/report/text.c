#include "viewer/report/text.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "format/character.h"

#define MIN_COLUMNS 80
#define MAX_COLUMNS 200

void pm_terminal_init(PmTerminal *terminal, FILE *stream)
{
    const char *no_color = g_getenv("NO_COLOR");
    const char *term = g_getenv("TERM");
    gboolean tty = isatty(fileno(stream));
    struct winsize size = {0};

    terminal->utf8 = g_get_charset(NULL);
    terminal->colour = tty && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    terminal->columns = PM_TEXT_COLUMNS;
    if (tty && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        terminal->columns = CLAMP(size.ws_col, MIN_COLUMNS, MAX_COLUMNS);
}

static char ascii_of(gunichar c)
{
    /* Eighth blocks: U+2588 is full, U+258F one eighth; from a half on it is a '#'. */
    if (c >= 0x2588 && c <= 0x258f)
        return c <= 0x258c ? '#' : ' ';
    switch (c) {
    case 0x00b7: /* · */
        return '-';
    case 0x2026: /* … */
        return '.';
    case 0x00b5: /* µ */
    case 0x03bc:
        return 'u';
    case 0x251c: /* ├ */
    case 0x2502: /* │ */
        return '|';
    case 0x2514: /* └ */
        return '`';
    case 0x2013: /* – */
    case 0x2212: /* − */
        return '-';
    case 0x2192: /* → */
    case 0x2265: /* ≥ */
        return '>';
    case 0x2264: /* ≤ */
        return '<';
    case 0x00d7: /* × */
        return 'x';
    case 0x26d4: /* ⛔ */
    case 0x25b2: /* ▲ */
        return '!';
    default:
        return '?';
    }
}

static const char *const styles[] = {
    [PM_STYLE_PLAIN] = "\033[0m",
    [PM_STYLE_STRONG] = "\033[1m",
    [PM_STYLE_DIM] = "\033[2m",
    [PM_STYLE_ALARM] = "\033[1;31m",
};

/* Bytes of the style that begins at `text`; 0 when none does. */
static gsize style_length(const PmTerminal *terminal, const char *text)
{
    for (guint i = 0; terminal->colour && i < G_N_ELEMENTS(styles); i++)
        if (g_str_has_prefix(text, styles[i]))
            return strlen(styles[i]);
    return 0;
}

static void append_encoded(GString *out, const PmTerminal *terminal, gunichar c)
{
    if (c != '\n' && pm_character_acts(c))
        c = PM_TEXT_UNSHOWN;
    if (terminal->utf8 || c < 0x80) {
        g_string_append_unichar(out, c);
    } else if (!g_unichar_iszerowidth(c)) {
        g_string_append_c(out, ascii_of(c));
        if (g_unichar_iswide(c))
            g_string_append_c(out, ' ');
    }
}

char *pm_terminal_encode(const PmTerminal *terminal, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *out = g_string_sized_new(strlen(valid));

    for (const char *p = valid; *p;) {
        gsize style = *p == '\033' ? style_length(terminal, p) : 0;
        if (style > 0) {
            g_string_append_len(out, p, (gssize)style);
            p += style;
        } else {
            append_encoded(out, terminal, g_utf8_get_char(p));
            p = g_utf8_next_char(p);
        }
    }
    return g_string_free(out, FALSE);
}

void pm_text_append_styled(GString *out, const PmTerminal *terminal, PmStyle style,
                           const char *text)
{
    if (terminal->colour && style != PM_STYLE_PLAIN)
        g_string_append_printf(out, "%s%s%s", styles[style], text, styles[PM_STYLE_PLAIN]);
    else
        g_string_append(out, text);
}

static int char_width(gunichar c)
{
    if (g_unichar_iszerowidth(c))
        return 0;
    return g_unichar_iswide(c) ? 2 : 1;
}

int pm_text_width(const char *text)
{
    int width = 0;

    for (const char *p = text; *p; p = g_utf8_next_char(p))
        width += char_width(g_utf8_get_char(p));
    return width;
}

char *pm_text_clean(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *out = g_string_sized_new(strlen(valid));

    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        g_string_append_unichar(out, pm_character_acts(c) ? PM_TEXT_UNSHOWN : c);
    }
    return g_string_free(out, FALSE);
}

char *pm_text_fit(const char *text, int columns)
{
    if (pm_text_width(text) <= columns)
        return g_strdup(text);
    if (columns <= 0)
        return g_strdup("");

    /* The end says which one (a hash, a line number), so it gets the odd column. */
    int head = (columns - 1) / 2;
    int tail = columns - 1 - head;
    const char *head_end = text;
    const char *tail_begin = text + strlen(text);

    for (int used = 0;;) {
        int w = char_width(g_utf8_get_char(head_end));
        if (used + w > head)
            break;
        used += w;
        head_end = g_utf8_next_char(head_end);
    }
    for (int used = 0; tail_begin > head_end;) {
        const char *before = g_utf8_prev_char(tail_begin);
        int w = char_width(g_utf8_get_char(before));
        if (used + w > tail)
            break;
        used += w;
        tail_begin = before;
    }
    return g_strdup_printf("%.*s…%s", (int)(head_end - text), text, tail_begin);
}

void pm_text_append_bar(GString *out, double share, int cells)
{
    /* From one eighth to seven. Rounded down: a bar never claims more than there is. */
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int n = (int)(CLAMP(share, 0.0, 1.0) * cells * 8 + 1e-9);

    for (int i = 0; i < n / 8; i++)
        g_string_append(out, "█");
    g_string_append(out, eighths[n % 8]);
}

gsize pm_text_unit_length(const char *text)
{
    static const char *const units[] = {" %", " ns", " µs",    " ms",  " s",   " min",
                                        " h", " d",  " bytes", " KiB", " MiB", " GiB"};

    for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
        const gsize length = strlen(units[i]);
        if (g_str_has_prefix(text, units[i]) && !g_ascii_isalnum(text[length]))
            return length;
    }
    return 0;
}

/* How long the word at `text` is, a number with its unit as one, and what is written after it. */
static gsize word_length(const char *text)
{
    gsize length = strcspn(text, " ");

    if (length > 0 && g_ascii_isdigit(text[length - 1]) && pm_text_unit_length(text + length)) {
        length += pm_text_unit_length(text + length);
        length += strcspn(text + length, " ");
    }
    return length;
}

void pm_text_append_wrapped(GString *out, const char *first, const char *indent, const char *text,
                            int columns)
{
    int used = pm_text_width(first);
    gboolean line_empty = TRUE;

    g_string_append(out, first);
    for (const char *next; text; text = next) {
        const gsize length = word_length(text);
        g_autofree char *word = g_strndup(text, length);
        int width = pm_text_width(word);
        next = text[length] ? text + length + 1 : NULL;
        if (!line_empty && used + 1 + width > columns) {
            pm_text_trim_end(out);
            g_string_append_c(out, '\n');
            g_string_append(out, indent);
            used = pm_text_width(indent);
            line_empty = TRUE;
        }
        if (!line_empty) {
            g_string_append_c(out, ' ');
            used++;
        }
        g_string_append(out, word);
        used += width;
        line_empty = FALSE;
    }
    pm_text_trim_end(out);
    g_string_append_c(out, '\n');
}

void pm_text_trim_end(GString *out)
{
    while (out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
}
