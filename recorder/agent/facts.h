/* What a recording says of its JVM. */
#pragma once

#include "format/record.h"
#include "recorder/agent/options.h"

/* Texts live as long as the agent. At VMInit or attach. `options_text` as given. Not its begin: the
 * drain knows that. */
void pm_facts_read(const struct pm_options *options, const char *options_text,
                   struct pm_facts *ret_facts);
