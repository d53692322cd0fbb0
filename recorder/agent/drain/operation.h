/* An operation: the class of what is waited for, together with the method of the program that the
 * waiter's stack trace is in. What usually ends its waits is learned for all its objects together,
 * because they are often short-lived. Any thread, under an epoch. */
#pragma once

#include <stdbool.h>

#include "format/record.h"

/* Odd, so that other groups of the sampler's may be even; two operations may share one. All pools
 * rest in one method, each at a queue of its own, so that those are told apart by the object.
 * `ret_known`, which may be NULL: whether the blocker is known, so that the answer will be the same
 * again. */
uint32_t pm_operation_of(pm_chain_id chain, pm_blocker_id blocker, bool *ret_known);
/* Whether the number may be one. */
static inline bool pm_operation_is(uint32_t number)
{
    return number & 1;
}
