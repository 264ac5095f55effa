#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vector>

#include "load_client/conductor.h"
#include "load_client/modes.h"
#include "load_client/run_client.h"
#include "load_client/tally.h"
#include "wire/poller.h"

namespace bench {

namespace {

constexpr std::int64_t kPatienceNs = 20'000'000'000;
constexpr timespec kBetweenAttempts{.tv_sec = 0, .tv_nsec = 100'000};

class FirstToken : public RunClient::Observer {
 public:
  bool seen() const { return seen_; }
  void on_frame(RunClient&, std::string_view frame) override { seen_ = seen_ || has_stamp(frame); }
  void on_end(RunClient&, const RunClient::Stream& stream) override {
    if (!stream.fault.empty()) fault_ = stream.fault;
  }
  const std::string& fault() const { return fault_; }

 private:
  bool seen_ = false;
  std::string fault_;
};

// A server of ours; it is asked to end when this goes, whatever happened.
class Child {
 public:
  Child(std::vector<char*> arguments, int core) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // it goes when this client is killed, too
    pin_to_core(core);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, fd);
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~Child() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;

  bool has_ended() const { return ::waitpid(pid_, nullptr, WNOHANG) != 0; }

 private:
  pid_t pid_;
};

// Empty when the first token came, else why not.
std::string wait_for_first_token(const Target& target, const Child& server, std::int64_t until_ns) {
  while (!connected(connect_to_loopback(target.port))) {
    if (server.has_ended()) return "the server ended";
    if (monotonic_ns() > until_ns) return "the server does not listen";
    ::nanosleep(&kBetweenAttempts, nullptr);
  }
  Poller poller;
  FirstToken first;
  RunClient client(poller, target, first);
  client.start_run();
  while (!first.seen() && first.fault().empty()) {
    poller.wait(kPatienceNs);
    if (monotonic_ns() > until_ns) return "no token came";
  }
  return first.fault();
}

}  // namespace

void time_first_event(const Target& target, const Flags& flags) {
  if (flags.rest().empty()) give_up("start needs a command after --");
  const std::int64_t begun = monotonic_ns();
  std::string fault;
  std::int64_t took = 0;
  {
    const Child server(flags.rest(), static_cast<int>(flags.number("server-core")));
    fault = wait_for_first_token(target, server, begun + kPatienceNs);
    took = monotonic_ns() - begun;
  }
  JsonLine().add("start_ms", static_cast<double>(took) / 1e6).add("first_fault", fault).print();
}

}  // namespace bench
