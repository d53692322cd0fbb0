/* Waiting for another thread that is some instructions away from what is waited for. It may have
 * lost its processor there, to the one that waits: one of real-time priority that only yields would
 * keep it from going on. */
#pragma once

/* Lets a moment pass. `tries`: how many passed so far. Leaves errno as it was. */
void pm_moment_pass(unsigned tries);
