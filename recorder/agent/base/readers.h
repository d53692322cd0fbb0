/* Who reads what must not go meanwhile. Whoever is about to free something notes the readers of
 * that instant and waits for these; later ones are not waited for, so that a steady stream of them
 * delays nothing. Readers never wait; any thread, any number at a time. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* They are counted by the round in which they came, odd or even. The next round begins when there
 * are none of the one before left. Zeros: nobody yet. */
struct pm_readers {
    _Atomic uint32_t rounds; /* begun */
    _Atomic uint32_t n[2];
};

/* `round`: the result of pm_readers_enter. */
uint32_t pm_readers_enter(struct pm_readers *readers);
void pm_readers_leave(struct pm_readers *readers, uint32_t round);

uint32_t pm_readers_note(const struct pm_readers *readers);
bool pm_readers_are_left(struct pm_readers *readers, uint32_t noted); /* of those noted then */
