/* HotSpot's own table of its fields, gHotSpotVMStructs: exported by every libjvm.so for the
 * serviceability agent. The only source of offsets inside the VM; each user verifies them
 * (quirks.h) before relying on them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_vmstruct {
    uint64_t offset;     /* of an instance field */
    const void *address; /* of a static field, else NULL */
    const char *type;    /* as declared: "JavaThread*"; may be NULL */
};

/* `type` NULL: any type that has such a field. False if the table or the field does not exist.
 * Reads constant memory only; any thread. Cost: linear in the table (some thousand entries). */
bool pm_vmstruct_find(const char *type, const char *field, struct pm_vmstruct *ret);
/* Only the field's offset in its type. */
bool pm_vmstruct_offset(const char *type, const char *field, size_t *ret_offset);
/* The size of the VM's type; 0: unknown. */
uint64_t pm_vmstruct_size(const char *type);
/* A constant declared by the VM: of an enum, or a size. False: unknown. */
bool pm_vmstruct_constant(const char *name, int *ret_value);
/* A boolean option of the VM (-XX:+…). False: unknown. */
bool pm_vmstruct_switch(const char *name, bool *ret_on);
