// The ways to put load on a server. Each takes its numbers from the flags, runs to its end and prints what it saw as
// lines of JSON.
#pragma once

#include "load_client/target.h"
#include "wire/flags.h"

namespace bench {

// `--concurrent` clients start runs and watch them until `--runs` are done: as fast as they can, or, with
// `--ramp-ms`, beginning one after the other over that time. `--sessions ahead` makes the sessions before the clock
// runs. `--stamps 1` times tokens. `--save-runs FILE` keeps the ids of the runs.
void load_with_runs(const Target& target, const Flags& flags);

// Opens `--streams` streams (a list such as 1000,9000: it stops at each) and holds them open: each its own run, or
// with `--of one` all of them viewers of one run.
void hold_streams(const Target& target, const Flags& flags);

// `--concurrent` clients read finished runs, picked at random from `--run-list FILE`, for `--seconds`.
void replay_runs(const Target& target, const Flags& flags);

// Starts the program after `--` on core `--server-core` and times it from there to the first token of a first run.
void time_first_event(const Target& target, const Flags& flags);

}  // namespace bench
