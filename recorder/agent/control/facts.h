/* The facts of a recording: its JVM, program, host and options, and what is not recorded. */
#pragma once

#include "format/record.h"
#include "recorder/agent/base/options.h"

/* Strings live as long as the agent. At VMInit or (`attached`) later. `options_text`: as given.
 * Does not set the begin, which the drain knows. */
void pm_facts_read(const struct pm_options *options, const char *options_text, bool attached,
                   struct pm_facts *ret_facts);
