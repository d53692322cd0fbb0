/* HotSpot's own table of its fields, gHotSpotVMStructs: exported by every libjvm.so for the
 * serviceability agent. The one way in which we learn an offset inside the VM; each user checks
 * what it learnt (quirks.h) before relying on it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pm_vmstruct {
    uint64_t offset;     /* of an instance field */
    const void *address; /* of a static field, else NULL */
    const char *type;    /* as declared: "JavaThread*"; may be NULL */
};

/* `type` NULL: any type that has such a field. False when the table or the field is not there.
 * Reads constant memory only; any thread. Cost: linear in the table (some thousand entries). */
bool pm_vmstruct_find(const char *type, const char *field, struct pm_vmstruct *ret);
/* How large the VM's type is; 0: not known. */
uint64_t pm_vmstruct_size(const char *type);
/* A number that the VM declares: of an enum, or a size. False: it is not known. */
bool pm_vmstruct_constant(const char *name, int *ret_value);
/* A switch of the VM's (-XX:+…). False: it is not known. */
bool pm_vmstruct_switch(const char *name, bool *ret_on);
