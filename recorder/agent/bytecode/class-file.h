/* Class files as the JVM hands them to agents: calls in them are made to go to another method,
 * without moving a byte of code. Whatever the bytes are, nothing outside of them is read: they are
 * another agent's work as likely as the JDK's. Free of JVM; allocates with malloc.
 *
 *   before                                 after
 *   invokeinterface A.m(x)r, count, 0      invokestatic B.n(A, x)r; nop; nop
 *   invokevirtual   A.m(x)r                invokestatic B.n(A, x)r
 *   invokestatic    A.m(x)r                invokestatic B.n(x)r
 *
 * The operands stay what they were, the receiver becomes the first argument, so that frames, stack
 * maps and line numbers hold as they are. The constants of B are put behind the others. */
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

/* A copy of the class in which the calls are redirected, in `*ret_bytes`, to be freed by the
 * caller, and how many they were of each redirect in `ret_calls`. PM_ERROR_MALFORMED when it is no
 * class file that this understands or would grow too large, PM_ERROR_MEMORY. With no call at all
 * it is the class as it was. */
int pm_class_file_redirect(const uint8_t *bytes, size_t size,
                           const struct pm_class_redirect *redirects, size_t n_redirects,
                           uint8_t **ret_bytes, size_t *ret_size, uint32_t *ret_calls);

/* The class that the instruction at `at` of a method's code needs to be initialised, "a/B", if it
 * is one that may: new, getstatic, putstatic, invokestatic. `constants`: as in a class file, from
 * the first on; as many as that counts, one more. 0, PM_ERROR_MALFORMED, PM_ERROR_MEMORY, or
 * PM_ERROR_ARGUMENT: it is another instruction. */
int pm_class_file_needed_class(const uint8_t *code, size_t code_size, size_t at,
                               const uint8_t *constants, size_t size, uint32_t n_constants,
                               char *ret_name, size_t name_size);
