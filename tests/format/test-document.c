/* docs/format.md and the code name the same numbers: constants, offsets, types, sets. */
#include <glib.h>
#include <string.h>

#include "format/block.h"
#include "format/column.h"
#include "format/rows.h"

static char *document;

/* The cells of the table row `line`, trimmed; NULL when it is none. */
static char **cells(const char *line)
{
    if (line[0] != '|')
        return NULL;
    char **parts = g_strsplit(line + 1, "|", -1);
    for (char **p = parts; *p != NULL; p++)
        g_strstrip(*p);
    return parts;
}

typedef void (*row_check)(char **row, gpointer data);

/* Calls `check` for each row of the table whose header row begins with `header`, from the `nth`
 * such table on. Returns the number of rows. */
static guint each_row(const char *header, guint nth, row_check check, gpointer data)
{
    g_auto(GStrv) lines = g_strsplit(document, "\n", -1);
    guint rows = 0;
    for (guint i = 0; lines[i] != NULL; i++) {
        if (!g_str_has_prefix(lines[i], header) || nth-- > 0)
            continue;
        for (i += 2; lines[i] != NULL && lines[i][0] == '|'; i++) {
            g_auto(GStrv) row = cells(lines[i]);
            check(row, data);
            rows++;
        }
        break;
    }
    return rows;
}

struct number {
    const char *name;
    guint64 value;
    gboolean seen;
};

static void check_number(struct number *numbers, const char *name, const char *value)
{
    for (struct number *n = numbers; n->name != NULL; n++) {
        if (strcmp(n->name, name) == 0) {
            g_assert_cmpuint(g_ascii_strtoull(value, NULL, 10), ==, n->value);
            g_assert_false(n->seen);
            n->seen = TRUE;
            return;
        }
    }
    g_error("the document names %s, the code does not", name);
}

static void all_seen(const struct number *numbers)
{
    for (const struct number *n = numbers; n->name != NULL; n++)
        if (!n->seen)
            g_error("the document lacks %s", n->name);
}

static void value_then_name(char **row, gpointer data)
{
    check_number(data, row[1], row[0]);
}

static void name_then_value(char **row, gpointer data)
{
    check_number(data, row[0], row[1]);
}

#define N(name)                                                                                    \
    {                                                                                              \
#name, name, FALSE                                                                         \
    }

static void test_constants(void)
{
    struct number numbers[] = {
        N(PM_FORMAT_VERSION),     N(PM_FILE_HEADER_SIZE),   N(PM_FILE_HEADER_COPY),
        N(PM_FILE_HEADER_FIELDS), N(PM_FILE_HEADER_MAX),    N(PM_BLOCK_HEADER_SIZE),
        N(PM_BLOCK_ALIGNMENT),    N(PM_BLOCK_RAW_MAX),      N(PM_BLOCK_STORED_MAX),
        N(PM_BLOCK_ROWS_MAX),     N(PM_CHUNK_HEAD_PAYLOAD), N(PM_CHUNK_HEAD_SIZE),
        N(PM_SLOT_SIZE_MIN),      N(PM_SLOT_SIZE_MAX),      N(PM_SLOTS_MAX),
        N(PM_FRAMES_MAX),         N(PM_TEXT_MAX),           {NULL, 0, FALSE},
    };
    each_row("| Constant |", 0, name_then_value, numbers);
    all_seen(numbers);
}

static void test_types(void)
{
#define T(name)                                                                                    \
    {                                                                                              \
#name, PM_BLOCK_##name, FALSE                                                              \
    }
    struct number types[] = {
        T(CHUNK),       T(FACTS),           T(DEFINITIONS),   T(WAITS),
        T(PROGRESS),    T(SNAPSHOT),        T(OWNER_SAMPLES), T(SPANS),
        T(GAPS),        T(FOOTER),          T(CENSUS),        T(REACHED),
        T(TIME_INDEX),  T(HOLDS),           T(WAKES),         T(ALLOCATION_SITES),
        T(ALLOCATIONS), T(MEMORY_SNAPSHOT), T(LIVE_OBJECTS),  {NULL, 0, FALSE},
    };
    each_row("| Type |", 0, value_then_name, types);
    all_seen(types);
    struct number tags[] = {
        {"CLASS", PM_DEFINE_CLASS, FALSE},     {"METHOD", PM_DEFINE_METHOD, FALSE},
        {"CHAIN", PM_DEFINE_CHAIN, FALSE},     {"THREAD", PM_DEFINE_THREAD, FALSE},
        {"BLOCKER", PM_DEFINE_BLOCKER, FALSE}, {NULL, 0, FALSE},
    };
    each_row("| Tag |", 0, value_then_name, tags);
    all_seen(tags);
    struct number modes[] = {
        {"CONSTANT", PM_COLUMN_CONSTANT, FALSE},
        {"PALETTE", PM_COLUMN_PALETTE, FALSE},
        {"PLAIN", PM_COLUMN_PLAIN, FALSE},
        {"DELTA", PM_COLUMN_DELTA, FALSE},
        {NULL, 0, FALSE},
    };
    each_row("| Mode |", 0, value_then_name, modes);
    all_seen(modes);
    struct number kinds[] = {
        {"park", PM_KIND_PARK, FALSE},
        {"enter", PM_KIND_ENTER, FALSE},
        {"wait", PM_KIND_WAIT, FALSE},
        {NULL, 0, FALSE},
    };
    g_assert_cmpuint(each_row("| Number | Kind |", 0, value_then_name, kinds), ==, PM_N_KINDS);
    all_seen(kinds);
    struct number causes[] = {
        {"unknown", PM_WAKE_UNKNOWN, FALSE},
        {"release", PM_WAKE_RELEASE, FALSE},
        {"propagation", PM_WAKE_PROPAGATION, FALSE},
        {"cancellation", PM_WAKE_CANCELLATION, FALSE},
        {"signal", PM_WAKE_SIGNAL, FALSE},
        {"completion", PM_WAKE_COMPLETION, FALSE},
        {"notify", PM_WAKE_NOTIFY, FALSE},
        {"interrupt", PM_WAKE_INTERRUPT, FALSE},
        {"time-out", PM_WAKE_TIME_OUT, FALSE},
        {"permit", PM_WAKE_PERMIT, FALSE},
        {NULL, 0, FALSE},
    };
    g_assert_cmpuint(each_row("| Number | Wake cause |", 0, value_then_name, causes), ==,
                     PM_N_WAKE_CAUSES);
    all_seen(causes);
    struct number flags[] = {
        {"timed", PM_WAIT_TIMED, FALSE},
        {"begin-unknown", PM_WAIT_BEGIN_UNKNOWN, FALSE},
        {"cut", PM_WAIT_CUT, FALSE},
        {"ambiguous", PM_WAIT_AMBIGUOUS, FALSE},
        {"after-wait", PM_WAIT_AFTER_WAIT, FALSE},
        {"virtual", PM_WAIT_VIRTUAL, FALSE},
        {"in-progress", PM_WAIT_IN_PROGRESS, FALSE},
        {"at-most", PM_WAIT_AT_MOST, FALSE},
        {NULL, 0, FALSE},
    };
    each_row("| Bit | Wait flag |", 0, value_then_name, flags);
    all_seen(flags);
}

static void check_set(char **row, gpointer data)
{
    guint64 set = g_ascii_strtoull(row[0], NULL, 10);
    g_assert_cmpuint(set, <, PM_N_LENGTH_SETS);
    g_auto(GStrv) lengths = g_strsplit(row[1], " ", -1);
    g_assert_cmpuint(g_strv_length(lengths), ==, 4);
    for (guint i = 0; i < 4; i++)
        g_assert_cmpuint(g_ascii_strtoull(lengths[i], NULL, 10), ==, pm_column_lengths[set][i]);
}

static void test_sets(void)
{
    g_assert_cmpuint(each_row("| Set |", 0, check_set, NULL), ==, PM_N_LENGTH_SETS);
}

/* A structure as the code encodes it, each field with a value of its own. */
struct layout {
    const uint8_t *bytes;
    guint size;
    guint at; /* the next row's offset: without a hole */
    struct number *fields;
};

static void check_field(char **row, gpointer data)
{
    struct layout *layout = data;
    guint64 offset = g_ascii_strtoull(row[0], NULL, 10), width = g_ascii_strtoull(row[1], NULL, 10);
    g_assert_cmpuint(offset, ==, layout->at);
    layout->at += (guint)width;
    g_assert_cmpuint(layout->at, <=, layout->size);
    guint64 value = 0;
    for (guint i = 0; i < width && width <= 8; i++)
        value |= (guint64)layout->bytes[offset + i] << (8 * i);
    if (row[2][0] == '\0') {
        g_assert_cmpuint(value, ==, 0);
        return;
    }
    for (struct number *n = layout->fields; n->name != NULL; n++) {
        if (strcmp(n->name, row[2]) == 0) {
            g_assert_cmphex(value, ==, n->value);
            n->seen = TRUE;
            return;
        }
    }
    g_error("the document names the field %s, the code does not", row[2]);
}

static void check_layout(guint nth, const uint8_t *bytes, guint size, struct number *fields)
{
    struct layout layout = {bytes, size, 0, fields};
    each_row("| Offset | Width |", nth, check_field, &layout);
    g_assert_cmpuint(layout.at, ==, size);
    all_seen(fields);
}

static void test_layouts(void)
{
    uint8_t file[PM_FILE_HEADER_FIELDS];
    struct pm_file_header header = {
        .version = 0x1122,
        .header_size = 0x33445566,
        .compatible = 0x778899aa,
        .incompatible = 0xbbccddee,
        .file_id = 0x0102030405060708,
        .max_size = 0x1112131415161718,
        .slot_size = 0x21222324,
        .n_slots = 0x25262728,
        .sequence = 0x3132333435363738,
        .state = 0x41424344,
        .end = 0x5152535455565758,
    };
    pm_file_header_encode(&header, file);
    struct number file_fields[] = {
        {"magic", pm_get_u64((const uint8_t *)PM_FILE_MAGIC), FALSE},
        {"version", header.version, FALSE},
        {"header_size", header.header_size, FALSE},
        {"compatible", header.compatible, FALSE},
        {"incompatible", header.incompatible, FALSE},
        {"file_id", header.file_id, FALSE},
        {"max_size", header.max_size, FALSE},
        {"slot_size", header.slot_size, FALSE},
        {"n_slots", header.n_slots, FALSE},
        {"sequence", header.sequence, FALSE},
        {"state", header.state, FALSE},
        {"end", header.end, FALSE},
        {"checksum", pm_get_u64(file + 120), FALSE},
        {NULL, 0, FALSE},
    };
    check_layout(0, file, sizeof file, file_fields);

    uint8_t bytes[PM_CHUNK_HEAD_SIZE];
    static const uint8_t payload[5] = "abcd";
    struct pm_block_header block = {
        .type = 0x12,
        .flags = 0x34,
        .file_id = 0x0102030405060708,
        .chunk = 0x1112131415161718,
        .index = 0x21222324,
        .raw_length = 0x25262728,
        .stored_length = 5,
        .rows = 0x31323334,
    };
    pm_block_header_encode(&block, payload, bytes);
    struct number block_fields[] = {
        {"magic", PM_BLOCK_MAGIC, FALSE},
        {"type", block.type, FALSE},
        {"flags", block.flags, FALSE},
        {"file_id", block.file_id, FALSE},
        {"chunk", block.chunk, FALSE},
        {"index", block.index, FALSE},
        {"raw_length", block.raw_length, FALSE},
        {"stored_length", block.stored_length, FALSE},
        {"rows", block.rows, FALSE},
        {"checksum", pm_block_checksum(bytes, payload, 5), FALSE},
        {NULL, 0, FALSE},
    };
    check_layout(1, bytes, PM_BLOCK_HEADER_SIZE, block_fields);

    struct pm_chunk_head head = {
        .number = 1,
        .size = 0x0102030405060708,
        .used = 0x1112131415161718,
        .begin_ns = 0x2122232425262728,
        .end_ns = 0x3132333435363738,
        .waits = 0x4142434445464748,
        .clock = {0x5152535455565758, 0x6162636465666768},
        .flags = 0x71727374,
    };
    pm_chunk_head_encode(&head, bytes);
    struct number head_fields[] = {
        {"size", head.size, FALSE},
        {"used", head.used, FALSE},
        {"begin_ns", (guint64)head.begin_ns, FALSE},
        {"end_ns", (guint64)head.end_ns, FALSE},
        {"waits", (guint64)head.waits, FALSE},
        {"monotonic_ns", (guint64)head.clock.monotonic_ns, FALSE},
        {"unix_ns", (guint64)head.clock.unix_ns, FALSE},
        {"flags", head.flags, FALSE},
        {NULL, 0, FALSE},
    };
    check_layout(2, bytes + PM_BLOCK_HEADER_SIZE, PM_CHUNK_HEAD_PAYLOAD, head_fields);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const char *source = g_getenv("PM_SOURCE");
    g_assert_nonnull(source);
    g_autofree char *path = g_build_filename(source, "docs", "format.md", NULL);
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &document, NULL, &error);
    g_assert_no_error(error);
    g_test_add_func("/format/document/constants", test_constants);
    g_test_add_func("/format/document/types-tags-modes-and-numbers", test_types);
    g_test_add_func("/format/document/length-sets", test_sets);
    g_test_add_func("/format/document/layouts", test_layouts);
    int result = g_test_run();
    g_free(document);
    return result;
}
