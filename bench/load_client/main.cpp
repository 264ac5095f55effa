// The load client: one thread, epoll, as little work per event as can be.
//
//   load_client --mode runs|hold|replay|start --contract completions|chat|conversation|tasks|runs --port N
//               --model NAME [--credential KEY] [--frames N] [--core 1] …
//
// The modes and their flags are in modes.h; how it keeps step with the script that measures is in conductor.h.
#include <string>

#include "load_client/modes.h"
#include "load_client/target.h"
#include "wire/flags.h"
#include "wire/socket.h"

int main(int argc, char** argv) {
  const bench::Flags flags(argc, argv);
  bench::raise_descriptor_limit();
  if (flags.has("core")) bench::pin_to_core(static_cast<int>(flags.number("core")));
  const bench::Target target = bench::Target::from_flags(flags);
  const std::string mode = flags.text("mode");
  if (mode == "runs") {
    bench::load_with_runs(target, flags);
  } else if (mode == "hold") {
    bench::hold_streams(target, flags);
  } else if (mode == "replay") {
    bench::replay_runs(target, flags);
  } else if (mode == "start") {
    bench::time_first_event(target, flags);
  } else {
    bench::give_up("unknown --mode " + mode);
  }
}
