#include "recorder/agent/names.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/store.h"

#define MAX_CLASSES (1u << 18)
#define MAX_METHODS (1u << 19)
#define TEXT_BYTES  (64u << 20)
#define N_BUCKETS   (1u << 12)

struct class_row {
    uint32_t text, length; /* in the text store */
    uint32_t next;         /* in its bucket: id */
};

struct method_row {
    uint32_t class_id;
    uint32_t name, name_length;
    uint32_t file, file_length;
    uint32_t next;
};

static struct {
    struct class_row *classes;
    struct method_row *methods;
    struct pm_store text;
    _Atomic uint32_t n_classes, n_methods;
    uint32_t class_buckets[N_BUCKETS], method_buckets[N_BUCKETS];
    pthread_mutex_t lock;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_names_init(void)
{
    memset(table.class_buckets, 0, sizeof table.class_buckets);
    memset(table.method_buckets, 0, sizeof table.method_buckets);
    atomic_store(&table.n_classes, 0);
    atomic_store(&table.n_methods, 0);
    table.classes = pm_reserve(MAX_CLASSES * sizeof *table.classes);
    table.methods = pm_reserve(MAX_METHODS * sizeof *table.methods);
    if (pm_store_init(&table.text, TEXT_BYTES) || !table.classes || !table.methods) {
        pm_names_clear();
        return PM_ERROR_MEMORY;
    }
    return 0;
}

void pm_names_clear(void)
{
    pm_unreserve(table.classes, MAX_CLASSES * sizeof *table.classes);
    pm_unreserve(table.methods, MAX_METHODS * sizeof *table.methods);
    table.classes = NULL;
    table.methods = NULL;
    pm_store_clear(&table.text);
}

static struct class_row *class_at(uint32_t id)
{
    return &table.classes[id - 1];
}

static struct method_row *method_at(uint32_t id)
{
    return &table.methods[id - 1];
}

static uint32_t hash(const char *text, size_t length, uint32_t h)
{
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

static bool same(uint32_t at, uint32_t length, const char *text, size_t text_length)
{
    return length == text_length && memcmp(table.text.base + at, text, length) == 0;
}

/* Returns where it lies; UINT32_MAX when full. */
static uint32_t keep(const char *text, size_t length)
{
    if (length == 0)
        return 0;
    char *to = pm_store_append(&table.text, length);
    if (!to)
        return UINT32_MAX;
    memcpy(to, text, length);
    return (uint32_t)(to - table.text.base);
}

pm_class_id pm_class_add(const char *name)
{
    size_t length = strlen(name);
    pthread_mutex_lock(&table.lock);
    uint32_t *bucket = &table.class_buckets[hash(name, length, 2166136261u) % N_BUCKETS];
    uint32_t id = *bucket;
    while (id && !same(class_at(id)->text, class_at(id)->length, name, length))
        id = class_at(id)->next;
    uint32_t text = UINT32_MAX;
    if (!id && atomic_load(&table.n_classes) < MAX_CLASSES)
        text = keep(name, length);
    if (text != UINT32_MAX) {
        id = atomic_load(&table.n_classes) + 1;
        *class_at(id) =
            (struct class_row){.text = text, .length = (uint32_t)length, .next = *bucket};
        *bucket = id;
        atomic_store_explicit(&table.n_classes, id, memory_order_release);
    }
    pthread_mutex_unlock(&table.lock);
    return (pm_class_id){id};
}

pm_method_id pm_method_add(pm_class_id class_id, const char *name, const char *file)
{
    size_t length = strlen(name), file_length = file ? strlen(file) : 0;
    pthread_mutex_lock(&table.lock);
    uint32_t h = hash(name, length, 2166136261u ^ class_id.n);
    uint32_t *bucket = &table.method_buckets[h % N_BUCKETS];
    uint32_t id = *bucket;
    while (id) {
        struct method_row *row = method_at(id);
        if (row->class_id == class_id.n && same(row->name, row->name_length, name, length) &&
            same(row->file, row->file_length, file ? file : "", file_length))
            break;
        id = row->next;
    }
    uint32_t text = UINT32_MAX, file_text = UINT32_MAX;
    if (!id && atomic_load(&table.n_methods) < MAX_METHODS) {
        text = keep(name, length);
        file_text = keep(file, file_length);
    }
    if (text != UINT32_MAX && file_text != UINT32_MAX) {
        id = atomic_load(&table.n_methods) + 1;
        *method_at(id) = (struct method_row){.class_id = class_id.n,
                                             .name = text,
                                             .name_length = (uint32_t)length,
                                             .file = file_text,
                                             .file_length = (uint32_t)file_length,
                                             .next = *bucket};
        *bucket = id;
        atomic_store_explicit(&table.n_methods, id, memory_order_release);
    }
    pthread_mutex_unlock(&table.lock);
    return (pm_method_id){id};
}

bool pm_class_get(pm_class_id id, struct pm_class *ret_class)
{
    if (id.n == 0 || id.n > atomic_load_explicit(&table.n_classes, memory_order_acquire))
        return false;
    const struct class_row *row = class_at(id.n);
    *ret_class = (struct pm_class){.id = id, .name = {table.text.base + row->text, row->length}};
    return true;
}

bool pm_method_get(pm_method_id id, struct pm_method *ret_method)
{
    if (id.n == 0 || id.n > atomic_load_explicit(&table.n_methods, memory_order_acquire))
        return false;
    const struct method_row *row = method_at(id.n);
    *ret_method = (struct pm_method){.id = id,
                                     .class_id = {row->class_id},
                                     .name = {table.text.base + row->name, row->name_length},
                                     .file = {table.text.base + row->file, row->file_length}};
    return true;
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
        size_t length = strcspn(element + 1, ";");
        for (size_t i = 1; i <= length && to < end; i++)
            *to++ = element[i] == '/' ? '.' : element[i];
        /* A hidden class is "Lorders/Cart$$Lambda.0x00007f12;": the VM writes its last '.' for the
         * '/' that Class.getName shows. */
    } else {
        const char *name = element;
        for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
            if (primitives[i].letter == *element)
                name = primitives[i].name;
        }
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
    return sizeof table.class_buckets * 2 +
           atomic_load(&table.n_classes) * sizeof(struct class_row) +
           atomic_load(&table.n_methods) * sizeof(struct method_row) +
           atomic_load_explicit(&table.text.used, memory_order_relaxed);
}
