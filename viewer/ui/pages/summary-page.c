#include "viewer/ui/pages/summary-page.h"

#include <math.h>

#include "viewer/analysis/slices/detail.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/findings/rule.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/frame-text.h"
#include "viewer/ui/model/alike.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/scaffold.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"
#include "viewer/ui/widgets/stacked-bar.h"

#define GAP_PX      12 /* above what is scrolled to */
#define FIRST_PX    40 /* of the first card, to be seen at least */
#define MAX_CARDS   3
#define MIN_CARDS   3 /* most-waited blockers fill up to it */
#define MAX_STILL   5
#define SMALL_CAUSE 0.03 /* not worth a line, unless it is the first */

#define PM_TYPE_SUMMARY_PAGE (pm_summary_page_get_type())
G_DECLARE_FINAL_TYPE(PmSummaryPage, pm_summary_page, PM, SUMMARY_PAGE, PmScaffold)

struct _PmSummaryPage {
    PmScaffold parent_instance;
    PmState *state; /* the scaffold's */
    GtkWidget *content, *calm, *cards, *still;
    PmJob *job;           /* the scaffold's */
    gboolean filled;      /* there are cards of this recording */
    gboolean wants_focus; /* for the first card, once it is there */
    guint tick, n_ticks;  /* until the focus is scrolled to */
};

G_DEFINE_FINAL_TYPE(PmSummaryPage, pm_summary_page, PM_TYPE_SCAFFOLD)

/* ---- what stands out, and who waits for the first blockers: in a worker ---- */

struct answer {
    PmResults *results;
    const PmFindings *findings; /* of `results` */
    guint n;
    PmAlike alike[MAX_CARDS];     /* of which no finding tells */
    PmDetail *details[MAX_CARDS]; /* of them */
};

static void answer_free(gpointer data)
{
    struct answer *answer = data;

    for (guint i = 0; i < answer->n; i++)
        pm_detail_free(answer->details[i]);
    pm_results_unref(answer->results);
    g_free(answer);
}

/* Of one of them a finding tells. */
static gboolean is_told(const struct answer *answer, const PmAlike *alike)
{
    const PmRecording *recording = answer->results->view->recording;

    for (guint i = 0; i < answer->findings->n; i++) {
        const PmFinding *finding = &answer->findings->findings[i];
        const guint32 of = finding->blocker ? finding->blocker : finding->one_of;
        if (of && pm_alike_key(recording, of) == alike->key)
            return TRUE;
    }
    return FALSE;
}

/* Not worth a card beside a finding. */
static gboolean is_small(const struct answer *answer, const PmAlike *alike)
{
    const PmView *view = answer->results->view;

    return alike->thread_time <= 0 ||
           (answer->findings->n &&
            alike->thread_time < MAX(view->thread_time / 50, view->known / 100));
}

static gpointer work(gpointer question, const gint *cancel)
{
    PmResults *results = question;
    struct answer *answer = g_new0(struct answer, 1);
    g_autoptr(GArray) sums = pm_alike_sum(results);

    answer->results = pm_results_ref(results);
    answer->findings = results->findings;
    for (guint i = 0; i < sums->len; i++) {
        const PmAlike *alike = &g_array_index(sums, PmAlike, i);
        const PmPathStep step = {PM_ASPECT_ALIKE, alike->key};
        if (answer->n + answer->findings->n >= MIN_CARDS || is_small(answer, alike))
            break;
        if (is_told(answer, alike))
            continue;
        PmDetail *detail = pm_detail_new_plain(results->view, &step, 1, cancel);
        if (!detail) {
            answer_free(answer);
            return NULL;
        }
        answer->alike[answer->n] = *alike;
        answer->details[answer->n++] = detail;
    }
    return answer;
}

/* ---- building blocks ---- */

/* What a row of a list leads to. */
typedef struct {
    guint32 blocker;  /* a chip: the waits for it … */
    guint32 one_of;   /* … or for all that are like this one; 0 = neither */
    PmAspect aspect;  /* the first level: the cause's site, or what tells the causes apart */
    guint64 cause;    /* the row of it; 0 = not known */
    gboolean memory;  /* not of waits at all */
    gboolean threads; /* nor of waits that were recorded: the threads of a group */
    guint32 group;
} Proof;

static GtkWidget *row_new(GtkWidget *list, GtkWidget *child, const Proof *proof, const char *name)
{
    GtkWidget *row = gtk_list_box_row_new();

    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), child);
    g_object_set_data_full(G_OBJECT(row), "proof", g_memdup2(proof, sizeof *proof), g_free);
    pm_element_set_name(row, name);
    gtk_list_box_append(GTK_LIST_BOX(list), row);
    return row;
}

static Proof proof_of(guint32 blocker)
{
    return (Proof){.blocker = blocker, .aspect = PM_ASPECT_CAUSE_SITE};
}

/* The waits that a card is about, by their causes. One step of the history. */
static void prove(PmState *state, const Proof *proof)
{
    if (proof->memory) {
        pm_state_set_page(state, PM_PAGE_MEMORY);
        return;
    }
    if (proof->threads) {
        pm_state_begin_drag(state);
        pm_state_select_key(state, PM_ASPECT_GROUP, proof->group);
        pm_state_set_page(state, PM_PAGE_THREADS);
        pm_state_end_drag(state);
        return;
    }
    const PmRecording *recording = pm_state_get_recording(state);
    const PmAspect of = proof->blocker ? PM_ASPECT_BLOCKER : PM_ASPECT_ALIKE;
    const guint64 key =
        pm_aspects[of].key(recording, proof->blocker ? proof->blocker : proof->one_of);
    const PmAspect aspects[] = {proof->aspect, PM_ASPECT_SITE, PM_ASPECT_CHAIN};
    g_autofree char *text = pm_aspect_key_text(recording, of, key);

    pm_state_begin_drag(state);
    pm_state_set_aspects(state, aspects, G_N_ELEMENTS(aspects));
    if (key)
        pm_state_add_chip(state, of, text, FALSE);
    if (proof->cause)
        pm_state_select_key(state, proof->aspect, proof->cause);
    else if (key)
        pm_state_select_key(state, of, key);
    pm_state_set_detail(state, TRUE);
    pm_state_set_page(state, PM_PAGE_TREE);
    pm_state_end_drag(state);
}

static void row_activated(GtkListBox *list, GtkListBoxRow *row, PmSummaryPage *page)
{
    /* The rows, and what they lead to, may be gone before it is shown. */
    const Proof proof = *(const Proof *)g_object_get_data(G_OBJECT(row), "proof");

    prove(page->state, &proof);
    /* Else keys go to whatever stands around the page. */
    gtk_widget_activate_action(GTK_WIDGET(page), "win.page", "s",
                               pm_page_name(pm_state_get_page(page->state)));
}

static GtkWidget *list_new(PmSummaryPage *page, const char *name)
{
    GtkWidget *list = gtk_list_box_new();

    gtk_list_box_set_selection_mode(GTK_LIST_BOX(list), GTK_SELECTION_NONE);
    gtk_widget_add_css_class(list, "pm-list");
    pm_element_set_name(list, name);
    g_signal_connect(list, "row-activated", G_CALLBACK(row_activated), page);
    return list;
}

/* Appends one of who waits; `who` is taken. */
static void append_victim(GString *text, char *who)
{
    g_string_append_printf(text, "%s%s", text->len ? ", " : "", who);
    g_free(who);
}

/* "http-nio-8080-exec-* (40), scheduler-* (4) and 2 more groups": two are named. Takes `named`. */
static char *victims_text(GString *named, guint n)
{
    if (n > 2) {
        g_autofree char *more = pm_number_plural(n - 2, "more group", "more groups");
        g_string_append_printf(named, " and %s", more);
    }
    return g_string_free(named, FALSE);
}

static char *detail_victims(const PmRecording *recording, const GArray *groups)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < MIN(groups->len, 2); i++) {
        const guint32 group = (guint32)g_array_index(groups, PmDetailPart, i).key;
        append_victim(text,
                      pm_summary_group_text(recording, group, recording->groups[group].n_threads));
    }
    return victims_text(text, groups->len);
}

static char *finding_victims(const PmRecording *recording, const PmFinding *finding)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < MIN(finding->n_victims, 2); i++) {
        const PmVictim *victim = &finding->victims[i];
        append_victim(text, pm_summary_group_text(recording, victim->group, victim->n_threads));
    }
    return victims_text(text, finding->n_victims);
}

/* ---- cards ---- */

static GtkWidget *share_line(PmState *state, double share, guint8 category, const char *after)
{
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *bar = pm_stacked_bar_new(10);
    g_autofree char *percent = pm_number_percent(share);
    g_autofree char *text = g_strdup_printf("%s of all waiting", percent);
    GtkWidget *percent_label = pm_element_text(text, PM_TEXT_ELLIPSIZE, NULL);
    GdkRGBA outline;
    PmBarPart part = {.share = share};

    pm_palette_color(PM_COLOR_GRID, pm_state_get_dark(state), &outline);
    pm_palette_category(category, 0, pm_state_get_dark(state), &part.color);
    part.hatched = pm_category_is_idle(category);
    pm_stacked_bar_set(PM_STACKED_BAR(bar), &part, 1, &outline, text);
    gtk_widget_set_size_request(bar, 120, -1);
    gtk_widget_set_valign(bar, GTK_ALIGN_CENTER);
    gtk_label_set_ellipsize(GTK_LABEL(percent_label), PANGO_ELLIPSIZE_NONE);
    gtk_widget_add_css_class(percent_label, "numeric");
    gtk_box_append(GTK_BOX(line), bar);
    gtk_box_append(GTK_BOX(line), percent_label);
    GtkWidget *victims = pm_element_text(after, PM_TEXT_ELLIPSIZE, "dim-label");
    gtk_label_set_wrap(GTK_LABEL(victims), TRUE);
    gtk_label_set_lines(GTK_LABEL(victims), 3);
    pm_element_keep_together(GTK_LABEL(victims));
    gtk_widget_set_hexpand(victims, TRUE);
    return pm_element_pair(line, victims);
}

static GtkWidget *card_new(const char *sentence)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    GtkWidget *title = pm_element_text(sentence, PM_TEXT_WRAP, "pm-sentence");

    gtk_box_append(GTK_BOX(box), title);
    return box;
}

static char *card_sentence(const struct answer *answer, guint index)
{
    const PmView *view = answer->results->view;
    const PmAlike *alike = &answer->alike[index];
    const PmDetail *detail = answer->details[index];
    g_autofree char *label = pm_label_alike(view->recording, alike->blocker);
    g_autofree char *time = pm_label_duration(detail->longest);
    g_autofree char *longest = pm_number_bound(pm_detail_longest_is_bound(detail), time);
    const double threads = view->known ? (double)alike->thread_time / (double)view->known : 0;

    if (threads >= 0.95) {
        g_autofree char *mean = pm_number_mean(threads);
        return g_strdup_printf("%s threads on average wait for %s, longest %s", mean, label,
                               longest);
    }
    g_autofree char *waits = pm_number_plural((gint64)detail->n, "wait", "waits");
    return g_strdup_printf("%s for %s, longest %s", waits, label, longest);
}

static double share_of(const PmResults *results, const PmAlike *alike)
{
    const gint64 all = results->view->thread_time;

    return all ? (double)alike->thread_time / (double)all : 0;
}

/* A most-waited blocker, or many that are alike. */
static void add_blocker_card(PmSummaryPage *page, const struct answer *answer, guint index)
{
    const PmDetail *detail = answer->details[index];
    const PmAlike *alike = &answer->alike[index];
    const PmRecording *recording = answer->results->view->recording;
    g_autofree char *sentence = card_sentence(answer, index);
    g_autofree char *victims = detail_victims(recording, detail->groups);
    GtkWidget *box = card_new(sentence);

    if (detail->chain && recording->chains[detail->chain].n_frames) {
        g_autofree char *whole = pm_label_chain(recording, detail->chain, 1);
        g_autofree char *frame = pm_frame_text_short(whole);
        g_autofree char *in = g_strdup_printf("in %s", frame);
        gtk_box_append(GTK_BOX(box), pm_element_text(in, PM_TEXT_NAME, "dim-label"));
    }
    gtk_box_append(GTK_BOX(box), share_line(page->state, share_of(answer->results, alike),
                                            alike->category, victims));
    const Proof proof = {.one_of = alike->blocker, .aspect = PM_ASPECT_CAUSE_SITE};
    pm_element_describe(row_new(page->cards, box, &proof, sentence), box);
}

/* "71 % by PriceCache.refresh (PriceCache.java:88) < Scheduler.tick (Scheduler.java:31)": a line
 * for each of the first two. */
static void add_causes(GtkWidget *box, const PmRecording *recording, const PmFinding *finding)
{
    if (finding->n_causes == 1 && *finding->causes[0].text == '(')
        return; /* nobody to name */
    for (guint i = 0; i < MIN(finding->n_causes, 2); i++) {
        const PmFindingCause *cause = &finding->causes[i];
        if (i && cause->share < SMALL_CAUSE)
            break;
        g_autofree char *margin = pm_finding_margin_text(cause);
        g_autofree char *percent =
            margin ? g_strdup_printf("%.0f\u202f%% %s", 100 * cause->share, margin)
                   : pm_number_percent(cause->share);
        g_autofree char *code = pm_frame_text_short(cause->text);
        const char *threads = pm_finding_cause_by(finding, recording, cause);
        g_autofree char *of = threads ? g_strconcat(threads, ": ", NULL) : NULL;
        g_autofree char *text = g_strdup_printf("%s%s %s%s%s", cause->inferred ? "~" : "", percent,
                                                *code == '(' ? "" : "by ", of ? of : "", code);
        gtk_box_append(GTK_BOX(box), pm_element_text(text, PM_TEXT_NAME, NULL));
    }
}

static PmPart part_of(const PmFindingCause *cause)
{
    return (PmPart){.kind = cause->kind, .thread = cause->thread, .chain = cause->chain};
}

/* Opens on the causes that the card names: by their sites, or by their stack traces where they only
 * differ in who called. */
static Proof finding_proof(const PmRecording *recording, const PmFinding *finding)
{
    Proof proof = {.blocker = finding->blocker,
                   .one_of = finding->one_of,
                   .aspect = PM_ASPECT_CAUSE_SITE,
                   .memory = pm_rule(finding->rule)->of_memory};

    if (!proof.blocker && !proof.one_of && !finding->waits && finding->n_victims) {
        proof.threads = TRUE;
        proof.group = finding->victims[0].group;
    }
    if (!finding->n_causes || !finding->causes[0].chain)
        return proof;
    const PmPart first = part_of(&finding->causes[0]);
    const guint64 site = pm_part_key(recording, PM_ASPECT_CAUSE_SITE, &first);
    for (guint i = 1; i < finding->n_causes; i++) {
        const PmPart other = part_of(&finding->causes[i]);
        if (other.chain && pm_part_key(recording, PM_ASPECT_CAUSE_SITE, &other) == site)
            proof.aspect = PM_ASPECT_CAUSE_CHAIN;
    }
    proof.cause = pm_part_key(recording, proof.aspect, &first);
    return proof;
}

void pm_summary_prove(PmState *state, const PmFinding *finding)
{
    g_return_if_fail(PM_IS_STATE(state) && finding);
    const Proof proof = finding_proof(pm_state_get_recording(state), finding);

    prove(state, &proof);
}

static char *evidence_text(const PmFinding *finding)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < finding->n_evidence; i++)
        g_string_append_printf(text, "%s%s%s", i ? "\n" : "", finding->evidence[i].exact ? "" : "~",
                               finding->evidence[i].text);
    return g_string_free(text, FALSE);
}

static void add_finding_card(PmSummaryPage *page, const struct answer *answer,
                             const PmFinding *finding)
{
    const PmRecording *recording = answer->results->view->recording;
    const gint64 all = answer->results->view->thread_time;
    g_autofree char *victims = finding_victims(recording, finding);
    g_autofree char *evidence = evidence_text(finding);
    const gboolean note = finding->severity == PM_SEVERITY_NOTE;
    g_autofree char *sentence = g_strconcat(note ? "Note: " : "", finding->title, NULL);
    GtkWidget *box = card_new(sentence);

    add_causes(box, recording, finding);
    const gboolean left_out =
        pm_category_is_idle(finding->category) && !answer->results->view->filter->idle;
    if (finding->waits && left_out) /* it is no part of what 100 % is */
        gtk_box_append(GTK_BOX(box), pm_element_text(victims, PM_TEXT_WRAP, "dim-label"));
    else if (finding->waits) /* else it is not about waiting */
        gtk_box_append(GTK_BOX(box),
                       share_line(page->state, all ? (double)finding->thread_time / (double)all : 0,
                                  finding->category, victims));
    if (!note && finding->advice && *finding->advice) {
        g_autofree char *advice = g_strdup_printf("Try: %s", finding->advice);
        gtk_box_append(GTK_BOX(box), pm_element_text(advice, PM_TEXT_WRAP, "dim-label"));
    }
    if (*evidence)
        gtk_widget_set_tooltip_text(box, evidence);
    const Proof proof = finding_proof(recording, finding);
    pm_element_describe(row_new(page->cards, box, &proof, sentence), box);
}

/* What is known at once, until causes and victims are: the verdict and the most-waited blockers. */
static void add_quick_card(PmSummaryPage *page, const PmResults *results, const PmAlike *alike,
                           const char *sentence)
{
    GtkWidget *box = card_new(sentence);

    gtk_box_append(GTK_BOX(box),
                   pm_element_text("Looking for causes …", PM_TEXT_ELLIPSIZE, "dim-label"));
    gtk_box_append(GTK_BOX(box),
                   share_line(page->state, share_of(results, alike), alike->category, ""));
    const Proof proof = {.one_of = alike->blocker, .aspect = PM_ASPECT_CAUSE_SITE};
    pm_element_describe(row_new(page->cards, box, &proof, sentence), box);
}

static void clear_cards(PmSummaryPage *page)
{
    GtkWidget *child;

    while ((child = gtk_widget_get_first_child(page->cards)))
        gtk_list_box_remove(GTK_LIST_BOX(page->cards), child);
}

static void fill_quick_cards(PmSummaryPage *page, const PmResults *results)
{
    const PmRecording *recording = results->view->recording;
    const PmVerdict *verdict = &results->findings->verdict;
    g_autoptr(GArray) sums = pm_alike_sum(results);
    const guint64 told = verdict->level == PM_VERDICT_HIGH && verdict->blocker
                             ? pm_alike_key(recording, verdict->blocker)
                             : G_MAXUINT64;

    clear_cards(page);
    for (guint pass = 0, n = 0; pass < 2; pass++) {
        for (guint i = 0; i < sums->len && n < MIN_CARDS; i++) {
            const PmAlike *alike = &g_array_index(sums, PmAlike, i);
            if ((alike->key == told) != (pass == 0) || alike->thread_time <= 0)
                continue;
            g_autofree char *label = pm_label_alike(recording, alike->blocker);
            add_quick_card(page, results, alike, pass ? label : verdict->sentence);
            n++;
        }
    }
}

/* The focus stays at its place in the list. Nothing moves for it: somebody may read elsewhere. */
static void keep_focus(PmSummaryPage *page, int index)
{
    GtkListBox *cards = GTK_LIST_BOX(page->cards);
    GtkListBoxRow *row = gtk_list_box_get_row_at_index(cards, index);

    while (!row && index > 0)
        row = gtk_list_box_get_row_at_index(cards, --index);
    if (row)
        gtk_widget_grab_focus(GTK_WIDGET(row));
    if (page->tick)
        gtk_widget_remove_tick_callback(GTK_WIDGET(page), page->tick);
    page->tick = 0;
}

/* The answer's first row: of a deadlock its sentences, of all else the first card. */
static gboolean focus_first(PmSummaryPage *page)
{
    return gtk_widget_child_focus(gtk_widget_get_next_sibling(page->calm), GTK_DIR_TAB_FORWARD);
}

static void fill_cards(PmSummaryPage *page, const struct answer *answer)
{
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(page));
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    GtkWidget *had_focus = gtk_widget_get_focus_child(page->cards);
    const int index = had_focus ? gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(had_focus)) : 0;

    clear_cards(page);
    /* A deadlock has its sentences under "Still waiting", unless a filter shows a part of it. */
    for (guint i = 0; i < answer->findings->n; i++)
        if (answer->findings->findings[i].rule != PM_RULE_DEADLOCK ||
            !answer->results->summary->n_deadlocks)
            add_finding_card(page, answer, &answer->findings->findings[i]);
    for (guint i = 0; i < answer->n; i++)
        add_blocker_card(page, answer, i);
    if (!answer->findings->n && !answer->n)
        return;
    /* Enter = the proof of the answer, from the start; but never away from someone who types. */
    if (page->wants_focus && (had_focus || !GTK_IS_EDITABLE(focus)))
        focus_first(page);
    else if (had_focus)
        keep_focus(page, index);
    page->wants_focus = FALSE;
}

/* ---- still waiting at the end ---- */

static char *code_text(const PmRecording *recording, guint32 chain, guint max)
{
    g_autofree char *whole = pm_label_code(recording, chain, max);

    return pm_frame_text_short(whole);
}

static void add_deadlock(PmSummaryPage *page, GtkWidget *list, const PmSummary *summary,
                         const PmDeadlock *deadlock)
{
    const PmRecording *recording = pm_state_get_recording(page->state);
    const PmWaits *waits = &recording->waits;
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3);
    g_autofree char *since =
        pm_label_since(recording, deadlock->since, summary->at, deadlock->since_before);
    g_autofree char *title_text = g_strdup_printf("Deadlock %s", since);
    GtkWidget *title = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

    gtk_box_append(GTK_BOX(title), gtk_image_new_from_icon_name("process-stop-symbolic"));
    gtk_box_append(GTK_BOX(title), pm_element_text(title_text, PM_TEXT_ELLIPSIZE, "pm-sentence"));
    gtk_widget_add_css_class(title, "pm-stuck");
    gtk_box_append(GTK_BOX(box), title);
    for (guint32 i = 0; i < deadlock->n_threads; i++) {
        const guint32 row = deadlock->rows[i];
        g_autofree char *holds = pm_deadlock_held(recording, deadlock, i);
        g_autofree char *wanted = pm_deadlock_wanted(recording, deadlock, i);
        g_autofree char *chain = code_text(recording, pm_wait_chain(waits, row), 3);
        g_autofree char *sentence = g_strdup_printf(
            "%s %s%s%swaits for %s", recording->threads[pm_wait_thread(waits, row)].name,
            holds ? "holds " : "", holds ? holds : "", holds ? " and " : "", wanted);
        g_autofree char *now = g_strdup_printf("now in %s", chain);
        GtkWidget *where = pm_element_text(now, PM_TEXT_NAME, "dim-label");
        gtk_widget_set_margin_start(where, 16);
        gtk_box_append(GTK_BOX(box), pm_element_text(sentence, PM_TEXT_WRAP, NULL));
        gtk_box_append(GTK_BOX(box), where);
    }
    if (deadlock->n_behind) {
        g_autofree char *behind =
            pm_number_plural(deadlock->n_behind, "thread waits", "threads wait");
        g_autofree char *text = g_strdup_printf("%s behind them", behind);
        gtk_box_append(GTK_BOX(box), pm_element_text(text, PM_TEXT_ELLIPSIZE, NULL));
    }
    const Proof proof = proof_of(pm_wait_blocker(waits, deadlock->rows[0]));
    row_new(list, box, &proof, title_text);
}

/* Threads of one group that wait for objects that are alike, with the same owner if any: futures
 * that are made for one wait each. */
typedef struct {
    PmStillWaiting row; /* of the oldest; its threads are all of theirs */
    gboolean several;   /* objects */
} Still;

static GArray *still_alike(const PmRecording *recording, const PmSummary *summary)
{
    GArray *stills = g_array_new(FALSE, TRUE, sizeof(Still));

    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *row = &summary->still[i];
        Still *found = NULL;
        if (row->cycle >= 0)
            continue; /* in the sentences of its deadlock */
        for (guint k = 0; k < stills->len && !found; k++) {
            Still *still = &g_array_index(stills, Still, k);
            if (still->row.group == row->group && still->row.owner == row->owner &&
                still->row.kind == row->kind && row->blocker &&
                pm_alike_key(recording, still->row.blocker) ==
                    pm_alike_key(recording, row->blocker))
                found = still;
        }
        if (found) {
            found->row.n_threads += row->n_threads;
            found->several |= found->row.blocker != row->blocker;
        } else {
            const Still still = {*row, FALSE};
            g_array_append_val(stills, still);
        }
    }
    return stills;
}

static void add_still(PmSummaryPage *page, GtkWidget *list, const PmSummary *summary,
                      const Still *alike)
{
    const PmStillWaiting *still = &alike->row;
    const PmRecording *recording = pm_state_get_recording(page->state);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
    g_autofree char *duration = pm_label_duration(summary->at - still->since);
    g_autofree char *age = pm_number_bound(still->begin_unknown, duration);
    g_autofree char *who = still->n_threads == 1
                               ? g_strdup(recording->threads[still->first_thread].name)
                               : g_strdup_printf("%u threads of %s", still->n_threads,
                                                 recording->groups[still->group].name);
    g_autofree char *blocker = alike->several ? pm_label_alike(recording, still->blocker)
                                              : pm_label_blocker(recording, still->blocker);
    g_autofree char *site = code_text(recording, still->chain, 1);
    g_autofree char *woken = pm_summary_woken_text(summary, still);
    g_autofree char *name =
        g_strdup_printf("%s %s %s for %s%s%s", who, still->n_threads == 1 ? "waits" : "wait",
                        duration, blocker, woken ? "; " : "", woken ? woken : "");
    GtkWidget *age_label = pm_element_text(age, PM_TEXT_ELLIPSIZE, NULL);

    gtk_label_set_ellipsize(GTK_LABEL(age_label), PANGO_ELLIPSIZE_NONE);
    gtk_label_set_width_chars(GTK_LABEL(age_label), 11);
    gtk_widget_set_valign(age_label, GTK_ALIGN_START);
    gtk_label_set_xalign(GTK_LABEL(age_label), 1);
    gtk_widget_add_css_class(age_label, "numeric");
    gtk_box_append(GTK_BOX(line), age_label);
    GtkWidget *text = gtk_box_new(GTK_ORIENTATION_VERTICAL, 1);
    g_autofree char *sentence = g_strdup_printf("%s for %s", who, blocker);
    gtk_widget_set_hexpand(text, TRUE);
    gtk_box_append(GTK_BOX(text), pm_element_text(sentence, PM_TEXT_NAME, NULL));
    g_autoptr(GString) below = g_string_new(NULL);
    g_string_append_printf(below, "in %s", site);
    gtk_box_append(GTK_BOX(text), pm_element_text(below->str, PM_TEXT_NAME, "dim-label"));
    if (woken)
        gtk_box_append(GTK_BOX(text), pm_element_text(woken, PM_TEXT_NAME, "dim-label"));
    if (still->owner) {
        g_autofree char *owner = pm_summary_owner_text(summary, still);
        g_string_printf(below, "owner %s", owner);
        if (still->owner_chain) {
            g_autofree char *chain = code_text(recording, still->owner_chain, 2);
            g_string_append_printf(below, ", %s %s",
                                   still->owner_state == PM_OWNER_RUNNING ? "running" : "now in",
                                   chain);
        }
        gtk_box_append(GTK_BOX(text), pm_element_text(below->str, PM_TEXT_NAME, "dim-label"));
    }
    gtk_box_append(GTK_BOX(line), text);
    gtk_box_append(GTK_BOX(box), line);
    const Proof one = proof_of(still->blocker),
                all = {.one_of = still->blocker, .aspect = PM_ASPECT_CAUSE_SITE};
    row_new(list, box, alike->several ? &all : &one, name);
}

static void fill_still(PmSummaryPage *page, const PmSummary *summary)
{
    pm_element_clear(page->still);
    if (!summary->n_still && !summary->n_deadlocks)
        return;
    GtkWidget *list = list_new(page, "Still waiting at the end");
    guint shown = 0;

    gtk_widget_add_css_class(list, "pm-tight");
    GtkWidget *heading = pm_element_text("Still waiting at the end", PM_TEXT_WRAP, "pm-heading");
    gtk_widget_set_margin_top(heading, 6);
    gtk_box_append(GTK_BOX(page->still), heading);
    for (guint i = 0; i < summary->n_deadlocks && i < 3; i++)
        add_deadlock(page, list, summary, &summary->deadlocks[i]);
    g_autoptr(GArray) stills = still_alike(pm_state_get_recording(page->state), summary);
    for (; shown < MIN(stills->len, MAX_STILL); shown++)
        add_still(page, list, summary, &g_array_index(stills, Still, shown));
    gtk_box_append(GTK_BOX(page->still), list);
    if (stills->len > shown) {
        g_autofree char *more = pm_number_plural(stills->len - shown, "more", "more");
        gtk_box_append(GTK_BOX(page->still), pm_element_text(more, PM_TEXT_ELLIPSIZE, "dim-label"));
    }
}

/* ---- nothing stands out ---- */

/* Waiting as part of all threads' busy time, idle left out of both. */
static double waiting_share(const PmSummary *summary)
{
    gint64 waiting = 0, busy = 0;

    for (guint i = 0; i < summary->n_groups; i++) {
        busy += summary->groups[i].busy;
        for (guint f = 0; f < PM_N_FAMILIES; f++)
            waiting += f == PM_FAMILY_IDLE ? 0 : summary->groups[i].family[f];
    }
    return busy ? (double)waiting / (double)busy : 0;
}

/* Shares of busy time are of all waits, whatever a filter shows of them. */
static GtkWidget *calm_new(const PmSummary *summary, gboolean of_note)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    const double share = waiting_share(summary);
    g_autofree char *percent = pm_number_percent(share);
    g_autofree char *spread = g_strdup_printf("Threads wait %s of their busy time; %s.", percent,
                                              of_note ? "the notes say what for"
                                                      : "no finding says that it could be less");
    g_autofree char *body =
        g_strdup_printf("%s %s",
                        pm_findings_are_of_part(summary) ? "Without the filter, more may stand out."
                        : share < 0.1                    ? "Waits are not where time goes."
                                                         : spread,
                        summary->not_recorded ? summary->not_recorded : "");
    GtkWidget *longest = gtk_button_new_with_label("Longest waits");
    GtkWidget *idle = gtk_button_new_with_label("Show idle");

    gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(longest), "win.page::blockers");
    gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(idle), "win.toggle-idle");
    gtk_box_append(GTK_BOX(buttons), longest);
    gtk_box_append(GTK_BOX(buttons), idle);
    gtk_box_append(GTK_BOX(box), pm_element_text(body, PM_TEXT_WRAP, NULL));
    gtk_box_append(GTK_BOX(box), buttons);
    gtk_widget_set_margin_bottom(box, 8);
    return box;
}

/* ---- rows and the state ---- */

static void work_done(gpointer data, gpointer user_data)
{
    struct answer *answer = data;

    fill_cards(user_data, answer);
    answer_free(answer);
}

static void pm_summary_page_show(PmScaffold *scaffold)
{
    PmSummaryPage *page = PM_SUMMARY_PAGE(scaffold);
    PmResults *results = pm_state_get_results(page->state);

    /* A leak is an answer even if nobody waited. */
    if (results && results->findings->n && !pm_state_n_chips(page->state))
        pm_scaffold_show_content(scaffold);
    else if (!pm_scaffold_show_waits(scaffold) || !results)
        return;
    if (!pm_state_get_recording(page->state))
        return;
    pm_element_clear(page->calm);
    if (results->findings->verdict.level == PM_VERDICT_NONE)
        gtk_box_append(GTK_BOX(page->calm),
                       calm_new(results->summary, results->findings->verdict.of_note));
    fill_still(page, results->summary);
    /* The answer comes first: of a deadlock it is told there, of all else by the cards. */
    if (results->summary->n_deadlocks)
        gtk_box_reorder_child_after(GTK_BOX(page->content), page->cards, page->still);
    else
        gtk_box_reorder_child_after(GTK_BOX(page->content), page->still, page->cards);
    /* Old cards stay until the new ones are there, but not those of another recording. */
    if (!page->filled) {
        page->filled = TRUE;
        fill_quick_cards(page, results);
    }
    pm_job_ask(page->job, pm_results_ref(results));
}

static void pm_summary_page_changed(PmScaffold *scaffold, guint mask)
{
    PmSummaryPage *page = PM_SUMMARY_PAGE(scaffold);

    if (mask & PM_CHANGE_RECORDING) {
        page->wants_focus = TRUE;
        page->filled = FALSE;
    }
}

/* ---- copying ---- */

static void copy_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(data));
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    GtkWidget *row = focus ? gtk_widget_get_ancestor(focus, GTK_TYPE_LIST_BOX_ROW) : NULL;

    if (row)
        pm_element_copy_said(row);
}

/* ---- scrolling ---- */

/* Nothing but text and its buttons is above it. */
static gboolean is_first(PmSummaryPage *page, GtkWidget *focus)
{
    GtkWidget *part = focus;

    if (!GTK_IS_LIST_BOX_ROW(focus) || gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(focus)) > 0)
        return FALSE;
    while (gtk_widget_get_parent(part) != page->content)
        part = gtk_widget_get_parent(part);
    return gtk_widget_get_prev_sibling(part) == page->calm;
}

/* Shows what has the focus, if it is higher than the page its top; of the first row only how it
 * begins, if all that is above it can be seen then. */
static gboolean scroll_cb(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    PmSummaryPage *page = PM_SUMMARY_PAGE(widget);
    GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(widget));
    graphene_rect_t at;

    /* In the first frame sizes are still to be given. */
    if (page->n_ticks++ == 0)
        return G_SOURCE_CONTINUE;
    page->tick = 0;
    if (!focus || !gtk_widget_is_ancestor(focus, page->content) ||
        !gtk_widget_compute_bounds(focus, page->content, &at))
        return G_SOURCE_REMOVE;
    GtkScrollable *viewport = GTK_SCROLLABLE(gtk_widget_get_parent(page->content));
    GtkAdjustment *down = gtk_scrollable_get_vadjustment(viewport);
    if (is_first(page, focus) && at.origin.y + FIRST_PX <= gtk_adjustment_get_page_size(down))
        gtk_adjustment_set_value(down, 0);
    else
        gtk_adjustment_clamp_page(down, MAX(at.origin.y - GAP_PX, 0), at.origin.y + at.size.height);
    return G_SOURCE_REMOVE;
}

static void focus_cb(GtkRoot *root, GParamSpec *spec, PmSummaryPage *page)
{
    GtkWidget *focus = gtk_root_get_focus(root);

    if (!focus || !gtk_widget_is_ancestor(focus, page->content))
        return;
    page->n_ticks = 0;
    if (!page->tick)
        page->tick = gtk_widget_add_tick_callback(GTK_WIDGET(page), scroll_cb, NULL, NULL);
}

/* ---- the widget ---- */

static void pm_summary_page_root(GtkWidget *widget)
{
    GTK_WIDGET_CLASS(pm_summary_page_parent_class)->root(widget);
    g_signal_connect_object(gtk_widget_get_root(widget), "notify::focus-widget",
                            G_CALLBACK(focus_cb), widget, 0);
}

static gboolean pm_summary_page_grab_focus(GtkWidget *widget)
{
    PmSummaryPage *page = PM_SUMMARY_PAGE(widget);
    GtkRoot *root = gtk_widget_get_root(widget);
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;

    if (!gtk_widget_get_mapped(widget))
        return FALSE; /* GTK asks hidden pages, too */
    /* From a row, GTK would go on to the next. */
    if (focus && gtk_widget_is_ancestor(focus, page->content))
        return TRUE;
    if (!focus_first(page) &&
        !gtk_widget_child_focus(gtk_widget_get_first_child(widget), GTK_DIR_TAB_FORWARD))
        page->wants_focus = TRUE;
    return TRUE;
}

static void pm_summary_page_class_init(PmSummaryPageClass *class)
{
    PM_SCAFFOLD_CLASS(class)->show = pm_summary_page_show;
    PM_SCAFFOLD_CLASS(class)->changed = pm_summary_page_changed;
    GTK_WIDGET_CLASS(class)->grab_focus = pm_summary_page_grab_focus;
    GTK_WIDGET_CLASS(class)->root = pm_summary_page_root;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "pm-summary-page");
}

static void pm_summary_page_init(PmSummaryPage *page)
{
}

GtkWidget *pm_summary_page_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    static const GActionEntry actions[] = {{.name = "copy", .activate = copy_action}};
    PmSummaryPage *page = g_object_new(PM_TYPE_SUMMARY_PAGE, NULL);
    GtkWidget *scroller = gtk_scrolled_window_new();

    page->state = state;
    page->job = pm_job_new(work, (GDestroyNotify)pm_results_unref, answer_free, work_done, page);
    page->cards = list_new(page, "Findings");
    page->still = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    page->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_add_css_class(page->content, "pm-summary");
    page->calm = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(page->content), page->calm);
    gtk_box_append(GTK_BOX(page->content), page->cards);
    gtk_box_append(GTK_BOX(page->content), page->still);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), page->content);
    /* GTK does it at once, with the sizes that the page had when it was last seen. */
    gtk_viewport_set_scroll_to_focus(GTK_VIEWPORT(gtk_widget_get_parent(page->content)), FALSE);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_widget_set_hexpand(GTK_WIDGET(page), TRUE);
    gtk_widget_set_vexpand(GTK_WIDGET(page), TRUE);
    pm_scaffold_set_up(PM_SCAFFOLD(page), state, NULL, scroller,
                       PM_CHANGE_RESULTS | PM_CHANGE_RECORDING | PM_CHANGE_DARK);
    pm_scaffold_set_job(PM_SCAFFOLD(page), page->job);
    pm_scaffold_add_actions(PM_SCAFFOLD(page), actions, G_N_ELEMENTS(actions), page);
    return GTK_WIDGET(page);
}
