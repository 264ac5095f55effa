// What the tests ask for, and what they are told: a file that the server's process and the test map at the same time,
// so rules can change while the server runs, and the counts outlive a kill.
#pragma once

#include <atomic>
#include <cstdint>

namespace faultline {

// Kinds of system call and of file, as bits, so that one rule can name several. braid_client/faultline.py has the same
// numbers.
enum Call : std::uint32_t {
  kWrite = 1,
  kSync = 2,
  kTruncate = 4,
  kRename = 8,
  kOpen = 16,
  kSend = 32,
  kAccept = 64,
  kMakeFolder = 128,
};
enum File : std::uint32_t {
  kLog = 1,        // the write-ahead log of the database
  kDatabase = 2,   // the database proper, which only a checkpoint writes
  kIndex = 4,      // the shared index of the log
  kWorkspace = 8,  // a file of a session
  kScratch = 16,   // one that is on its way to become such
  kFolder = 32,    // anything else below the data folder
  kWire = 64,      // a connection
  kOther = 128,
};
enum class Action : std::uint32_t {
  kNone,
  kKillBefore,
  kKillWithin,  // a write does its first half; any other call is as kKillBefore
  kKillAfter,
  kFail,
};

// Strikes the calls that it names, after letting `skip` of them pass, `count` times (0: until it is taken away).
struct Rule {
  std::atomic<Action> action;  // written last by the test: a rule without action is not looked at
  std::uint32_t calls;
  std::uint32_t files;
  std::int32_t error;  // errno of kFail
  std::uint32_t skip;
  std::uint32_t count;
  std::atomic<std::uint32_t> passed;  // calls that it named, struck or not
  std::atomic<std::uint32_t> struck;
};
static_assert(sizeof(Rule) == 32);

inline constexpr unsigned kRules = 8;

struct Strike {
  Action action = Action::kNone;
  int error = 0;
};

// What happens to a call on a descriptor, on a path, or on a connection. Each counts in the rules that name it.
Strike judge_descriptor(Call call, int fd);
Strike judge_path(Call call, int folder, const char* path);
Strike judge_wire(Call call);

// Notes that a file of a session was put under its name, in the file that FAULTLINE_EFFECTS names: one line per effect.
void note_effect(int from_folder, const char* from, int to_folder, const char* to);

// The process is gone when this returns, as by kill -9. It does not return.
[[noreturn]] void die();

}  // namespace faultline
