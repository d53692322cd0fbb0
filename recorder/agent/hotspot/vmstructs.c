#include "recorder/agent/hotspot/vmstructs.h"

#include <dlfcn.h>
#include <string.h>

/* The offsets of an entry's own members are exported beside the table, so that readers need not
 * know its layout. */
static bool layout_member(void *library, const char *symbol, uint64_t *ret_offset)
{
    const uint64_t *offset = dlsym(library, symbol);
    if (!offset)
        return false;
    *ret_offset = *offset;
    return true;
}

bool pm_vmstruct_find(const char *type, const char *field, struct pm_vmstruct *ret)
{
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    bool found = false;
    const char *const *table = dlsym(library, "gHotSpotVMStructs");
    uint64_t stride, type_at, field_at, string_at, offset_at, address_at;
    if (!table || !*table || !layout_member(library, "gHotSpotVMStructEntryArrayStride", &stride) ||
        !layout_member(library, "gHotSpotVMStructEntryTypeNameOffset", &type_at) ||
        !layout_member(library, "gHotSpotVMStructEntryFieldNameOffset", &field_at) ||
        !layout_member(library, "gHotSpotVMStructEntryTypeStringOffset", &string_at) ||
        !layout_member(library, "gHotSpotVMStructEntryOffsetOffset", &offset_at) ||
        !layout_member(library, "gHotSpotVMStructEntryAddressOffset", &address_at))
        goto out;
    for (const char *entry = *table; *(const char *const *)(entry + type_at); entry += stride) {
        const char *name = *(const char *const *)(entry + field_at);
        if (!name || strcmp(name, field) != 0 ||
            (type && strcmp(*(const char *const *)(entry + type_at), type) != 0))
            continue;
        ret->offset = *(const uint64_t *)(entry + offset_at);
        ret->address = *(const void *const *)(entry + address_at);
        ret->type = *(const char *const *)(entry + string_at);
        found = true;
        break;
    }
out:
    dlclose(library);
    return found;
}

bool pm_vmstruct_offset(const char *type, const char *field, size_t *ret_offset)
{
    struct pm_vmstruct found;
    if (!pm_vmstruct_find(type, field, &found))
        return false;
    *ret_offset = found.offset;
    return true;
}

uint64_t pm_vmstruct_size(const char *type)
{
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return 0;
    uint64_t size = 0, stride, name_at, size_at;
    const char *const *table = dlsym(library, "gHotSpotVMTypes");
    if (table && *table && layout_member(library, "gHotSpotVMTypeEntryArrayStride", &stride) &&
        layout_member(library, "gHotSpotVMTypeEntryTypeNameOffset", &name_at) &&
        layout_member(library, "gHotSpotVMTypeEntrySizeOffset", &size_at)) {
        const char *entry = *table;
        const char *name;
        while ((name = *(const char *const *)(entry + name_at)) && strcmp(name, type) != 0)
            entry += stride;
        size = name ? *(const uint64_t *)(entry + size_at) : 0;
    }
    dlclose(library);
    return size;
}

bool pm_vmstruct_constant(const char *name, int *ret_value)
{
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    bool found = false;
    uint64_t stride, name_at, value_at;
    const char *const *table = dlsym(library, "gHotSpotVMIntConstants");
    if (table && *table &&
        layout_member(library, "gHotSpotVMIntConstantEntryArrayStride", &stride) &&
        layout_member(library, "gHotSpotVMIntConstantEntryNameOffset", &name_at) &&
        layout_member(library, "gHotSpotVMIntConstantEntryValueOffset", &value_at)) {
        const char *entry = *table;
        const char *its_name;
        while ((its_name = *(const char *const *)(entry + name_at)) && strcmp(its_name, name) != 0)
            entry += stride;
        found = its_name != NULL;
        if (found)
            *ret_value = *(const int *)(const void *)(entry + value_at);
    }
    dlclose(library);
    return found;
}

bool pm_vmstruct_switch(const char *name, bool *ret_on)
{
    struct pm_vmstruct flags, count, name_of, address_of;
    uint64_t size = pm_vmstruct_size("JVMFlag");
    if (!size || !pm_vmstruct_find("JVMFlag", "flags", &flags) ||
        !pm_vmstruct_find("JVMFlag", "numFlags", &count) ||
        !pm_vmstruct_find("JVMFlag", "_name", &name_of) ||
        !pm_vmstruct_find("JVMFlag", "_addr", &address_of) || !flags.address || !count.address)
        return false;
    const char *flag = *(const char *const *)flags.address;
    for (size_t n = *(const size_t *)count.address; n > 0; n--, flag += size) {
        const char *its_name = *(const char *const *)(const void *)(flag + name_of.offset);
        if (its_name && strcmp(its_name, name) == 0) {
            *ret_on = **(const bool *const *)(const void *)(flag + address_of.offset);
            return true;
        }
    }
    return false;
}
