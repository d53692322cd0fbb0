/* Help, made from the two tables. */
#include <string.h>

#include "recorder/parkctl/command.h"
#include "viewer/analysis/recording/category.h"

static void append_usage(GString *out, const PmCommand *command, const char *indent)
{
    const char *args = *command->arguments ? " " : "";

    if (command->places & PM_PLACE_FILE)
        g_string_append_printf(out, "%sparkctl %s %s%s\n", indent, command->name,
                               pm_command_files(command), command->options ? " [options]" : "");
    if (command->places & PM_PLACE_PID)
        g_string_append_printf(out, "%sparkctl PID %s%s%s%s\n", indent, command->name, args,
                               command->arguments, command->options ? " [options]" : "");
    if (command->places & PM_PLACE_ALONE)
        g_string_append_printf(out, "%sparkctl %s%s%s%s\n", indent, command->name, args,
                               command->arguments, command->options ? " [options]" : "");
}

static void append_option(GString *out, int id)
{
    const PmOption option = pm_option_row(id);
    g_autofree char *text = option.value ? g_strdup_printf("--%s=%s", option.name, option.value)
                                         : g_strdup_printf("--%s", option.name);

    g_string_append_printf(out, "  %s%*s%s\n", text, MAX(1, 26 - pm_text_width(text)), "",
                           option.help);
}

static void append_commands(GString *out, gboolean of_pid)
{
    for (guint i = 0; i < pm_n_commands; i++) {
        const PmCommand *command = &pm_commands[i];
        if (of_pid && !(command->places & PM_PLACE_PID))
            continue;
        g_autoptr(GString) usage = g_string_new(command->name);
        if (!of_pid) {
            g_string_assign(usage, "");
            if (command->places & PM_PLACE_FILE)
                g_string_append_printf(usage, "%s %s", command->name, pm_command_files(command));
            if (command->places & PM_PLACE_PID)
                g_string_append_printf(usage, "%sPID %s", usage->len ? " · " : "", command->name);
            if (command->places == PM_PLACE_ALONE ||
                command->places == (PM_PLACE_ALONE | PM_PLACE_PID))
                g_string_assign(usage, command->name);
        }
        g_string_append_printf(out, "  %s%*s%s\n", usage->str,
                               MAX(1, 30 - pm_text_width(usage->str)), "", command->summary);
    }
}

static void append_words(GString *out, const PmInvocation *invocation, const PmCommand *command)
{
    if (command->options & (PM_OPTION_BIT(PM_OPTION_BY) | PM_OPTION_BIT(PM_OPTION_ASPECT))) {
        g_string_append(out, "\nAspects:\n");
        for (guint i = 0; i < PM_N_ASPECTS; i++)
            g_string_append_printf(out, "  %-14s%s\n", pm_aspects[i].name, pm_aspects[i].help);
    }
    if (command->options & PM_OPTION_BIT(PM_OPTION_ASPECT)) {
        g_autoptr(GString) names = g_string_new(NULL);
        for (guint i = 0; i < PM_N_CATEGORIES; i++)
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", pm_category_name(i));
        pm_text_append_wrapped(out, "\nCategories: ", "  ", names->str,
                               invocation->terminal.columns - 2);
    }
}

static int help_of(const PmInvocation *invocation, const PmCommand *command, GString *out)
{
    g_string_append_printf(out, "%s: %s\n\n", command->name, command->summary);
    append_usage(out, command, "  ");
    if (command->options) {
        g_string_append(out, "\n");
        for (int i = 0; i < PM_N_TABLE_OPTIONS; i++)
            if (command->options & PM_OPTION_BIT(i))
                append_option(out, i);
    }
    append_words(out, invocation, command);
    if (command->recorder_options)
        g_string_append(out, "\nKEY=VALUE are the recorder's options, as after -agentpath:…=; an "
                             "invalid one is refused\nwith a list of the valid ones.\n");
    return PM_EXIT_OK;
}

int pm_command_help(const PmInvocation *invocation, GString *out)
{
    const char *word = invocation->command->run == pm_command_help && invocation->rest->len > 0
                           ? invocation->rest->pdata[0]
                           : NULL;

    if (invocation->command->run != pm_command_help)
        return help_of(invocation, invocation->command, out);
    if (word) {
        const PmCommand *command = pm_command_find(word);
        if (command)
            return help_of(invocation, command, out);
        const char **names = g_new0(const char *, pm_n_commands + 1);
        for (guint i = 0; i < pm_n_commands; i++)
            names[i] = pm_commands[i].name;
        g_autofree char *guess = pm_did_you_mean(word, names, "");
        g_free(names);
        return pm_complain(PM_EXIT_USAGE, "help: unknown command \"%s\"%s", word, guess);
    }
    if (invocation->pid) {
        g_string_append_printf(out, "parkctl %d COMMAND [key=value…]\n\n", invocation->pid);
        append_commands(out, TRUE);
        g_string_append_printf(out, "\nMore: parkctl help COMMAND\n");
        return PM_EXIT_OK;
    }
    g_string_append(out, "parkctl: what the threads of a JVM wait for\n\n"
                         "  parkctl                     the JVMs that have a recorder\n"
                         "  parkctl PID COMMAND …       ask a running JVM, as with jcmd\n"
                         "  parkctl COMMAND FILE …      read a recording (- = standard input)\n"
                         "  parkctl --via='ssh HOST' …  remote JVMs; --via='kubectl exec POD --'\n"
                         "\n");
    append_commands(out, FALSE);
    g_string_append(out, "\nMore: parkctl help COMMAND, man parkctl\n");
    return PM_EXIT_OK;
}

int pm_command_version(const PmInvocation *invocation, GString *out)
{
    g_string_append(out, "parkctl " PM_VERSION "\n");
    return PM_EXIT_OK;
}
