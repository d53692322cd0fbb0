/* Redirects calls in class files, as the JVM passes them to agents, to another method without
 * moving a byte of code. Never reads outside the given bytes, whatever they contain: they may come
 * from another agent rather than the JDK. Makes no JVM calls; allocates with malloc.
 *
 *   before                                 after
 *   invokeinterface A.m(x)r, count, 0      invokestatic B.n(A, x)r; nop; nop
 *   invokevirtual   A.m(x)r                invokestatic B.n(A, x)r
 *   invokestatic    A.m(x)r                invokestatic B.n(x)r
 *
 * The operands stay the same and the receiver becomes the first argument, so frames, stack maps and
 * line numbers remain valid. The constants of B are appended to the others. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/error.h"

struct pm_method_name {
    const char *class, *name, *descriptor; /* as in class files: java/lang/Object */
};

/* Calls of `from` become calls of the static method `to`. */
struct pm_class_redirect {
    struct pm_method_name from, to;
};

/* Returns a copy of the class with the calls redirected in `*ret_bytes`, to be freed by the caller,
 * and the number of calls for each redirect in `ret_calls`. PM_ERROR_MALFORMED if it is not a class
 * file that this code understands or would become too large, PM_ERROR_MEMORY. Without any such
 * call, the class is unchanged. */
int pm_class_file_redirect(const uint8_t *bytes, size_t size,
                           const struct pm_class_redirect *redirects, size_t n_redirects,
                           uint8_t **ret_bytes, size_t *ret_size, uint32_t *ret_calls);

/* The class, "a/B", whose initialisation the instruction at `at` of a method's code requires (new,
 * getstatic, putstatic, invokestatic). `constants`: the constant pool as in a class file, from the
 * first entry; its count is one more. 0, PM_ERROR_MALFORMED, PM_ERROR_MEMORY, or PM_ERROR_ARGUMENT
 * for any other instruction. */
int pm_class_file_needed_class(const uint8_t *code, size_t code_size, size_t at,
                               const uint8_t *constants, size_t size, uint32_t n_constants,
                               char *ret_name, size_t name_size);
