#include "viewer/report/fold.h"

#include "viewer/report/text.h"

void pm_fold_text(GString *stack, const char *text)
{
    g_autofree char *clean = pm_text_clean(text);
    if (stack->len > 0)
        g_string_append_c(stack, ';');
    g_string_append(stack, g_strdelimit(clean, ";", ','));
}

gboolean pm_fold_chain(GString *stack, const PmRecording *recording, guint64 chain)
{
    if (chain >= recording->n_chains || recording->chains[chain].n_frames == 0)
        return FALSE;
    const PmChain *c = &recording->chains[chain];
    for (guint i = c->n_frames; i-- > 0;) {
        const PmMethod *method = &recording->methods[c->frames[i].method];
        g_autofree char *frame =
            g_strdup_printf("%s.%s", recording->classes[method->class_index].name, method->name);
        pm_fold_text(stack, frame);
    }
    return TRUE;
}
