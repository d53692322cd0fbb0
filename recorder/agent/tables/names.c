#include "recorder/agent/tables/names.h"

#include <pthread.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/base/arena.h"
#include "recorder/agent/base/registry.h"
#include "recorder/agent/base/text.h"
#include "recorder/agent/waits/epoch.h"

#define MAX_CLASSES (1u << 18)
#define MAX_METHODS (1u << 19)
#define TEXT_BYTES  (64u << 20)
#define N_BUCKETS   (1u << 12)

struct text {
    uint32_t at, length; /* in the text store */
};

struct class_row {
    struct text name;
    uint32_t used; /* the epoch */
};

struct method_row {
    uint32_t class_id;
    struct text name, file;
    uint32_t used;
};

static struct {
    /* By a hash of what they are called; of two equal hashes one has the next. */
    struct pm_registry classes, methods;
    struct pm_arena text;
    pm_class_id unknown;
    pthread_mutex_t lock; /* of adding and freeing; the registries' are taken inside */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_names_init(void)
{
    int error = pm_registry_init(&table.classes, sizeof(struct class_row), MAX_CLASSES, N_BUCKETS);
    if (!error)
        error = pm_registry_init(&table.methods, sizeof(struct method_row), MAX_METHODS, N_BUCKETS);
    if (!error)
        error = pm_arena_init(&table.text, TEXT_BYTES);
    table.unknown.n = 0;
    table.unknown = error ? table.unknown : pm_class_add("?");
    if (!table.unknown.n)
        pm_names_clear();
    return table.unknown.n ? 0 : PM_ERROR_MEMORY;
}

void pm_names_clear(void)
{
    pm_registry_clear(&table.classes);
    pm_registry_clear(&table.methods);
    pm_arena_clear(&table.text);
}

static uint64_t hash(const char *text, size_t length, uint64_t h)
{
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

static int64_t key_of(uint64_t h)
{
    return (int64_t)((h * 0xff51afd7ed558ccdu) >> 1 | 1);
}

static bool same(struct text kept, const char *text, size_t length)
{
    return kept.length == length && memcmp(table.text.base + kept.at, text, length) == 0;
}

static bool keep(const char *text, size_t length, struct text *ret_kept)
{
    char *to = pm_arena_append(&table.text, length);
    if (!to)
        return false;
    memcpy(to, text, length);
    *ret_kept = (struct text){(uint32_t)(to - table.text.base), (uint32_t)length};
    return true;
}

static void give_back(struct text text)
{
    pm_arena_give_back(&table.text, table.text.base + text.at, text.length);
}

static struct pm_text text_of(struct text text)
{
    return (struct pm_text){table.text.base + text.at, text.length};
}

static void set_class_used(void *row, void *context)
{
    pm_epoch_mark(&((struct class_row *)row)->used, *(const uint32_t *)context);
}

/* False when it was freed meanwhile. */
static bool use_class(uint32_t id, const struct class_row *row)
{
    uint32_t epoch = pm_epoch_now();
    return row->used == epoch || pm_registry_change(&table.classes, id, set_class_used, &epoch);
}

static void set_method_used(void *row, void *context)
{
    pm_epoch_mark(&((struct method_row *)row)->used, *(const uint32_t *)context);
}

static bool use_method(uint32_t id, const struct method_row *row)
{
    uint32_t epoch = pm_epoch_now();
    return row->used == epoch || pm_registry_change(&table.methods, id, set_method_used, &epoch);
}

/* The class, 0 when there is none; then `*key` is where it belongs. Under the lock. */
static uint32_t find_class(const char *name, size_t length, int64_t *key)
{
    for (;; ++*key) {
        struct class_row row;
        uint32_t id = pm_registry_find(&table.classes, *key);
        if (!id)
            return 0;
        if (pm_registry_get(&table.classes, id, &row) && same(row.name, name, length) &&
            use_class(id, &row))
            return id;
    }
}

pm_class_id pm_class_add(const char *name)
{
    size_t length = strlen(name);
    int64_t key = key_of(hash(name, length, 0xcbf29ce484222325u));
    struct class_row row = {.used = pm_epoch_now()};
    pthread_mutex_lock(&table.lock);
    uint32_t id = find_class(name, length, &key);
    if (!id && keep(name, length, &row.name)) {
        id = pm_registry_add(&table.classes, key, &row);
        if (!id)
            give_back(row.name);
    }
    pthread_mutex_unlock(&table.lock);
    return id ? (pm_class_id){id} : table.unknown;
}

pm_class_id pm_class_unknown(void)
{
    return table.unknown;
}

static uint32_t find_method(pm_class_id class_id, const char *name, size_t length, const char *file,
                            size_t file_length, int64_t *key)
{
    for (;; ++*key) {
        struct method_row row;
        uint32_t id = pm_registry_find(&table.methods, *key);
        if (!id)
            return 0;
        if (pm_registry_get(&table.methods, id, &row) && row.class_id == class_id.n &&
            same(row.name, name, length) && same(row.file, file, file_length) &&
            use_method(id, &row))
            return id;
    }
}

pm_method_id pm_method_add(pm_class_id class_id, const char *name, const char *file)
{
    file = file ? file : "";
    size_t length = strlen(name), file_length = strlen(file);
    uint64_t h = hash(name, length, 0xcbf29ce484222325u ^ class_id.n);
    int64_t key = key_of(hash(file, file_length, h));
    struct method_row row = {.class_id = class_id.n, .used = pm_epoch_now()};
    pthread_mutex_lock(&table.lock);
    uint32_t id = find_method(class_id, name, length, file, file_length, &key);
    bool is_known = class_id.n != table.unknown.n; /* it may have its name later */
    if (!id && is_known && keep(name, length, &row.name)) {
        if (keep(file, file_length, &row.file))
            id = pm_registry_add(&table.methods, key, &row);
        if (!id) {
            give_back(row.name);
            give_back(row.file);
        }
    }
    pthread_mutex_unlock(&table.lock);
    return (pm_method_id){id};
}

bool pm_class_get(pm_class_id id, struct pm_class *ret_class)
{
    struct class_row row;
    if (!pm_registry_get(&table.classes, id.n, &row))
        return false;
    *ret_class = (struct pm_class){.id = id, .name = text_of(row.name)};
    return true;
}

bool pm_method_get(pm_method_id id, struct pm_method *ret_method)
{
    struct method_row row;
    if (!pm_registry_get(&table.methods, id.n, &row))
        return false;
    *ret_method = (struct pm_method){
        .id = id, .class_id = {row.class_id}, .name = text_of(row.name), .file = text_of(row.file)};
    return true;
}

void pm_class_use(pm_class_id id)
{
    struct class_row row;
    if (pm_registry_get(&table.classes, id.n, &row))
        use_class(id.n, &row);
}

void pm_method_use(pm_method_id id)
{
    struct method_row row;
    if (pm_registry_get(&table.methods, id.n, &row))
        use_method(id.n, &row);
}

static bool is_unused_method(const void *row, void *context)
{
    const struct method_row *method = row;
    if (method->used == *(const uint32_t *)context)
        return false;
    give_back(method->name);
    give_back(method->file);
    return true;
}

static bool is_unused_class(const void *row, void *context)
{
    const struct class_row *class = row;
    if (class->used == *(const uint32_t *)context)
        return false;
    give_back(class->name);
    return true;
}

static bool sweep(struct pm_registry *rows, uint32_t first, uint32_t n,
                  bool (*goes)(const void *row, void *context))
{
    uint32_t epoch = pm_epoch_now();
    pthread_mutex_lock(&table.lock);
    bool more = pm_registry_remove_where(rows, first, n, goes, &epoch);
    pthread_mutex_unlock(&table.lock);
    return more;
}

bool pm_method_free_unused(uint32_t first, uint32_t n)
{
    struct method_row row;
    uint32_t id;
    bool more = sweep(&table.methods, first, n, is_unused_method);
    for (uint32_t i = first; i < first + n && pm_registry_visit(&table.methods, i, &id, &row); i++)
        if (id)
            pm_class_use((pm_class_id){row.class_id});
    return more;
}

bool pm_class_free_unused(uint32_t first, uint32_t n)
{
    pm_class_use(table.unknown);
    return sweep(&table.classes, first, n, is_unused_class);
}

bool pm_names_are_pressed(void)
{
    return pm_registry_count(&table.classes) > pm_registry_limit(&table.classes) / 4 * 3 ||
           pm_registry_count(&table.methods) > pm_registry_limit(&table.methods) / 4 * 3 ||
           pm_arena_is_pressed(&table.text);
}

uint32_t pm_method_count(void)
{
    return pm_registry_count(&table.methods);
}

uint32_t pm_class_count(void)
{
    return pm_registry_count(&table.classes);
}

void pm_class_name_from_signature(const char *signature, char *ret_name, size_t size)
{
    static const struct {
        char letter;
        const char *name;
    } primitives[] = {{'Z', "boolean"}, {'B', "byte"},   {'C', "char"},
                      {'S', "short"},   {'I', "int"},    {'J', "long"},
                      {'F', "float"},   {'D', "double"}, {'V', "void"}};
    size_t dimensions = strspn(signature, "[");
    const char *element = signature + dimensions;
    char *to = ret_name, *end = ret_name + size - 1;
    if (*element == 'L') {
        pm_text_from_java(ret_name, size, element + 1);
        for (; *to && *to != ';'; to++)
            *to = *to == '/' ? '.' : *to;
        /* A hidden class is "Lorders/Cart$$Lambda.0x00007f12;": the VM writes its last '.' for the
         * '/' that Class.getName shows. */
    } else {
        const char *name = element;
        for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
            if (primitives[i].letter == *element)
                name = primitives[i].name;
        while (*name && to < end)
            *to++ = *name++;
    }
    for (; dimensions && to + 1 < end; dimensions--) {
        *to++ = '[';
        *to++ = ']';
    }
    *to = '\0';
}

uint64_t pm_names_memory(void)
{
    return pm_registry_memory(&table.classes) + pm_registry_memory(&table.methods) +
           atomic_load_explicit(&table.text.used, memory_order_relaxed);
}
