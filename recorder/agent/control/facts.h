/* The facts of a recording: its JVM, program, host and options, and what is not recorded. */
#pragma once

#include "format/record.h"
#include "recorder/agent/base/options.h"

/* Texts live as long as the agent. At VMInit or (`attached`) later: who waited for a monitor by
 * then cannot be asked any more. `options_text` as given. Not its begin: the drain knows that. */
void pm_facts_read(const struct pm_options *options, const char *options_text, bool attached,
                   struct pm_facts *ret_facts);
