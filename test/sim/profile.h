// What kind of history a seed tells. Each seed has some of the troubles and lacks others, at different rates: a trouble
// that is always there hides what happens without it.
#pragma once

#include "base/limits.h"
#include "random.h"

namespace braidlog::sim {

struct Profile {
  unsigned loops = 1;
  unsigned sessions_max = 1;
  unsigned actions = 10;  // what clients and viewers do before the world calms down
  unsigned talk = 0;      // how much of that is chat and conversation, in percent
  unsigned work = 0;      // and how much of the rest is steps and tasks
  bool busy = false;      // it is about tasks: whoever can makes lists, and lists are worked on

  // Chances in percent: of a step for the troubles, of a call for the rest.
  unsigned crash = 0, disk_refuses = 0, reads_fail = 0, takeover = 0, clock_steps = 0, drain = 0;
  unsigned model_fails = 0, tool_fails = 0, tool_hangs = 0;
  unsigned code_dies = 0, code_hangs = 0;
  unsigned tool_calls = 40;  // that a turn has some
  bool wide_texts = false;
  bool agents_change = false;  // an agent or a tool is gone after a restart
  std::int64_t pace_ms_max = 20;

  Limits limits;

  static Profile draw(Random& random) {
    Profile p;
    p.loops = static_cast<unsigned>(random.between(1, 3));
    p.sessions_max = static_cast<unsigned>(random.between(1, 4));
    p.actions = static_cast<unsigned>(random.between(10, 160));
    p.talk = random.percent(80) ? static_cast<unsigned>(random.between(10, 45)) : 0;
    p.work = random.percent(75) ? static_cast<unsigned>(random.between(10, 60)) : 0;
    p.busy = random.percent(18);
    if (p.busy) {
      p.talk = random.percent(50) ? 5 : 0;
      p.work = 80;
      p.actions = static_cast<unsigned>(random.between(30, 120));
    }
    p.crash = random.percent(60) ? static_cast<unsigned>(random.between(1, 3)) : 0;
    p.disk_refuses = random.percent(35) ? 2 : 0;
    p.reads_fail = random.percent(20) ? 2 : 0;
    p.takeover = random.percent(15) ? 1 : 0;
    p.clock_steps = random.percent(20) ? 1 : 0;
    p.drain = random.percent(10) ? 1 : 0;
    p.model_fails = random.percent(50) ? 8 : 0;
    p.tool_fails = random.percent(50) ? 15 : 0;
    p.tool_hangs = random.percent(30) ? 15 : 0;
    p.code_dies = random.percent(40) ? 12 : 0;
    p.code_hangs = random.percent(30) ? 8 : 0;
    p.tool_calls = static_cast<unsigned>(random.between(20, 95));
    p.wide_texts = random.percent(3);
    p.agents_change = random.percent(15);
    p.pace_ms_max = random.between(0, 60);
    p.limits = draw_limits(random);
    return p;
  }

 private:
  using Milliseconds = std::chrono::milliseconds;

  static Limits draw_limits(Random& random) {
    Limits limits;
    limits.stream_buffer_bytes_max = static_cast<std::size_t>(random.between(1, 4)) * 512;
    limits.model_call_time_max = Milliseconds(random.between(500, 3'000));
    limits.tool_timeout = Milliseconds(random.between(200, 2'000));
    limits.tool_cancel_grace = Milliseconds(random.between(50, 500));
    limits.approval_timeout = Milliseconds(random.percent(40) ? random.between(500, 10'000) : 0);
    if (random.percent(10)) limits.run_time_max = Milliseconds(random.between(500, 5'000));
    if (random.percent(10)) limits.output_bytes_max = 400;
    if (random.percent(10)) limits.tool_calls_max = 2;
    if (random.percent(10)) limits.turns_max = 3;
    limits.client_return_grace = Milliseconds(random.between(20, 1'000));
    limits.same_text_window = Milliseconds(random.between(100, 5'000));
    limits.waiting_turns_max = static_cast<std::size_t>(random.between(0, 4));
    if (random.percent(15)) limits.user_runs_max = static_cast<std::size_t>(random.between(2, 8));
    return limits;
  }
};

}  // namespace braidlog::sim
