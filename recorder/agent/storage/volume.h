/* The sequence of files that a recording is written to. Notices when the current one is removed,
 * renamed, truncated, replaced or overwritten by others, ends it as well as possible, continues in
 * a new one of the same name, and keeps a description of what happened. If none can be created,
 * what is written is lost (the writer counts it) and creation is retried occasionally. Drain thread
 * only. */
#pragma once

#include "format/writer.h"
#include "recorder/agent/storage/disk.h"
#include "recorder/agent/storage/file.h"
#include "recorder/agent/storage/status.h"

struct pm_volume {
    struct pm_file file; /* its `fd` is -1 while there is none */
    struct pm_disk disks[2];
    unsigned disk; /* which of them is under the writer */
    struct pm_writer *writer;
    uint64_t max_size;
    void (*say)(const char *text);
    uint32_t n_files;            /* made */
    uint64_t n_failed;           /* writes, of files before */
    uint64_t flushed_failed;     /* all that had failed as of the last flush */
    int64_t next_try_ns;         /* to make a new file */
    int64_t spared_ns;           /* then as many can be made at once as ever */
    int64_t said_ns;             /* last on stderr; 0 = never */
    bool yielded;                /* its name is another JVM's now */
    bool hidden;                 /* the folder is not where it was */
    uint64_t doubt;              /* chunks up to this one have to be checked; 0 = none */
    int64_t doubted_ns;          /* when that began; 0 = never in this file */
    uint64_t lost_waits;         /* of the writer, as the last file was lost */
    char error[PM_STATUS_TEXT];  /* what fails now; empty when well */
    char event[PM_STATUS_TEXT];  /* what last happened to a file */
    char notice[PM_STATUS_TEXT]; /* what is odd now, though waits are stored */
};

/* Opens the recording's file in the first location with enough space for a whole recording, and a
 * writer over it. `writer_options`: callbacks; sizes are those of `options`. `say` (may be NULL) is
 * called, at most once an hour, when a file was lost; it must not wait. `volume` must not move. On
 * failure `ret_info` says why. */
int pm_volume_open(struct pm_volume *volume, const struct pm_options *options,
                   const struct pm_facts *facts, const struct pm_writer_options *writer_options,
                   void (*say)(const char *text), struct pm_writer **ret_writer,
                   struct pm_error_info *ret_info);

/* Checks that the file still exists with what was written, and reacts if not. Costs two stat calls
 * and a small read. `last`: the recording ends, there will be no other attempt. */
void pm_volume_check(struct pm_volume *volume, int64_t now_ns, bool last);
/* False: what is written is lost. */
bool pm_volume_is_there(const struct pm_volume *volume);
/* Writes that failed since the begin. */
uint64_t pm_volume_n_failed(const struct pm_volume *volume);

/* A call of the writer returned `error`. */
void pm_volume_note(struct pm_volume *volume, int error);
/* A flush was done; if it succeeded completely, earlier failures are cleared. */
void pm_volume_flushed(struct pm_volume *volume, int error);
int pm_volume_resize(struct pm_volume *volume, uint64_t max_size, struct pm_error_info *ret_info);
/* `error`, `warning` and the counts of files. */
void pm_volume_get_status(const struct pm_volume *volume, struct pm_status *status);

/* Closes the writer and its file; says so if that fails … */
void pm_volume_close(struct pm_volume *volume, int64_t now_ns);
/* … or leaves it unfinished and removes it. */
void pm_volume_abandon(struct pm_volume *volume);
