/* The tables of classes and methods, interned by name: classes of the same name from different
 * loaders share a row, as do overloads of a method (line numbers distinguish them). Bounded;
 * lock-free to read; adding takes a lock and calls nothing. Unused rows are freed (epoch.h), and
 * their ids are never reused. Makes no JVM calls. */
#pragma once

#include "format/record.h"

int pm_names_init(void); /* 0 or PM_ERROR_MEMORY */
void pm_names_clear(void);

/* `name` is in UTF-8 and source form, "java.util.concurrent.locks.ReentrantLock$NonfairSync".
 * pm_class_unknown if full: the row "?", which may be another's next time. */
pm_class_id pm_class_add(const char *name);
pm_class_id pm_class_unknown(void);
/* `name` and `file` are in UTF-8; `file` may be NULL. 0 if full, or the class is unknown. */
pm_method_id pm_method_add(pm_class_id class_id, const char *name, const char *file);

/* Strings stay valid until the row is freed: for the drain thread, which frees it, and for threads
 * that use the row. */
bool pm_class_get(pm_class_id id, struct pm_class *ret_class);
bool pm_method_get(pm_method_id id, struct pm_method *ret_method);

/* Converts "Ljava/util/List;" or "[I", in the JVM's encoding (text.h), to source form in UTF-8,
 * truncated between two characters if necessary. */
void pm_class_name_from_signature(const char *signature, char *ret_name, size_t size);

/* Marks it as used in this epoch, which adding does too. Any thread. */
void pm_class_use(pm_class_id id);
void pm_method_use(pm_method_id id);
/* As pm_chain_free_unused, to be called after it has finished: first methods (marking the classes
 * of those in use), then classes. Drain thread. */
bool pm_method_free_unused(uint32_t first, uint32_t n);
bool pm_class_free_unused(uint32_t first, uint32_t n);

uint32_t pm_class_count(void);
uint32_t pm_method_count(void);
uint64_t pm_names_memory(void);
/* More than three quarters full. */
bool pm_names_are_pressed(void);
