/* Any bytes as what a recorder answers: refused with a sentence, or an object. */
#include <stdint.h>
#include <string.h>

#include "viewer/report/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    JsonObject *reply = pm_reply_parse((const char *)data, size, &error);
    g_assert_true((!reply) == (error != NULL));
    g_assert_true(g_utf8_validate(pm_reply_text(reply, "file"), -1, NULL));
    g_assert_cmpuint(strlen(pm_reply_text(reply, "file")), <=, PM_REPLY_TEXT_MAX);
    pm_reply_int(reply, "waits");
    pm_reply_flag(reply, "recording");
    pm_reply_list(reply, "gaps");
    g_clear_pointer(&reply, json_object_unref);
    return 0;
}
