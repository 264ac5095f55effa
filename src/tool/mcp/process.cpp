#include "tool/mcp/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace braidlog::tool::mcp {

namespace {

constexpr std::size_t kWordsBytesMax = 4'096;
// Of one pipe at a time, so that a server which never stops talking does not keep the others waiting.
constexpr int kReadsPerRound = 16;
constexpr std::chrono::milliseconds kLastWords{200};

std::string words_of(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return "ended with status " + std::to_string(info.si_status);
  return "was ended by signal " + std::to_string(info.si_status);
}

}  // namespace

std::shared_ptr<Process> Process::watch(Spawned spawned, ProcessOwner& owner, Place place) {
  std::shared_ptr<Process> process(new Process(std::move(spawned), owner, place));
  process->wait_output();
  process->wait_errors();
  process->wait_end();
  return process;
}

Process::Process(Spawned spawned, ProcessOwner& owner, Place place)
    : owner_(&owner),
      loop_(place.loop),
      spawned_pid_(spawned.pid),
      pidfd_(place.loop.context().get_executor(), spawned.pidfd.release()),
      input_(place.loop.context().get_executor(), spawned.input.release()),
      output_(place.loop.context().get_executor(), spawned.output.release()),
      errors_(place.loop.context().get_executor(), spawned.errors.release()),
      lines_(place.line_bytes_max),
      words_(kWordsBytesMax),
      unsent_bytes_max_(place.line_bytes_max) {}

Process::~Process() {
  if (reaped_) return;
  signal_group(SIGKILL);
  (void)::waitpid(spawned_pid_, nullptr, 0);
}

bool Process::send(std::string_view line) {
  if (!input_.is_open()) return true;  // nobody reads: its end will say why
  if (!unsent_.empty() && unsent_.size() - sent_ + line.size() > unsent_bytes_max_) return false;
  unsent_ += line;
  unsent_ += '\n';
  if (!writing_) flush();
  return true;
}

void Process::stop(UniqueFunction<void()> gone) {
  owner_ = nullptr;
  gone_ = std::move(gone);
  boost::system::error_code ignored;
  input_.close(ignored);
  if (reaped_) {
    loop_.post([self = shared_from_this()] {
      if (self->gone_) std::exchange(self->gone_, nullptr)();
    });
    return;
  }
  patience_ = loop_.after(kCloseGrace, [this] {
    signal_group(SIGTERM);
    patience_ = loop_.after(kTermGrace, [this] { signal_group(SIGKILL); });
  });
}

void Process::wait_output() {
  output_.async_wait(Descriptor::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || error || self->reaped_) return;
    if (self->read_output()) return self->wait_output();
    // A server without a voice is of no use, whatever it does. Mostly it is just ending, and its status says more.
    if (self->owner_ == nullptr) return;
    self->patience_ = self->loop_.after(kLastWords, [raw = self.get()] { raw->say_gone("closed its output"); });
  });
}

void Process::wait_errors() {
  errors_.async_wait(Descriptor::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || error || self->reaped_) return;
    if (self->read_errors()) self->wait_errors();
  });
}

void Process::wait_end() {
  pidfd_.async_wait(Descriptor::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->reap();
  });
}

bool Process::read_output() {
  std::array<char, 64 * 1024> buffer;
  for (int i = 0; i < kReadsPerRound && output_.is_open(); ++i) {
    const auto size = ::read(output_.native_handle(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) return false;
    lines_.feed(
        {buffer.data(), static_cast<std::size_t>(size)},
        [this](std::string_view line) {
          if (owner_ != nullptr) owner_->on_line(line);
        },
        [this](std::string_view head, std::string_view tail) {
          if (owner_ != nullptr) owner_->on_oversize(head, tail);
        });
  }
  return true;
}

bool Process::read_errors() {
  std::array<char, 16 * 1024> buffer;
  const auto tell = [this](std::string_view line) {
    if (owner_ != nullptr) owner_->on_words(line);
  };
  for (int i = 0; i < kReadsPerRound && errors_.is_open(); ++i) {
    const auto size = ::read(errors_.native_handle(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) return false;
    words_.feed({buffer.data(), static_cast<std::size_t>(size)}, tell, [&](std::string_view head, std::string_view) {
      // Without its last word, which may be a piece of a secret.
      const auto whole = head.substr(0, head.find_last_of(" \t") + 1);
      if (!whole.empty()) tell(whole);
    });
  }
  return true;
}

void Process::flush() {
  writing_ = false;
  while (sent_ < unsent_.size() && input_.is_open()) {
    const auto size = ::write(input_.native_handle(), unsent_.data() + sent_, unsent_.size() - sent_);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      writing_ = true;
      // Or a server that reads slowly and is sent more all the time would keep all that it was ever sent.
      if (sent_ > unsent_.size() / 2) unsent_.erase(0, std::exchange(sent_, 0));
      input_.async_wait(Descriptor::wait_write, [weak = weak_from_this()](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (self && !error) self->flush();
      });
      return;
    }
    if (size < 0) {  // nobody reads: its end will say why
      boost::system::error_code ignored;
      input_.close(ignored);
      break;
    }
    sent_ += static_cast<std::size_t>(size);
  }
  std::string().swap(unsent_);
  sent_ = 0;
}

void Process::reap() {
  siginfo_t info{};
  const auto wait = [&](int options) {
    return ::waitid(P_PID, static_cast<id_t>(spawned_pid_), &info, WEXITED | WNOHANG | options) == 0 &&
           info.si_pid != 0;
  };
  if (reaped_ || !wait(WNOWAIT)) return;
  // Until the leader is reaped nobody else can have its number.
  signal_group(SIGKILL);
  if (!wait(0)) return;
  reaped_ = true;
  patience_.reset();
  // What it wrote before its end is still in the pipes.
  const auto self = shared_from_this();
  read_errors();
  read_output();
  boost::system::error_code ignored;
  for (auto* descriptor : {&input_, &output_, &errors_, &pidfd_}) descriptor->close(ignored);
  say_gone(words_of(info));
  if (gone_) std::exchange(gone_, nullptr)();
}

void Process::say_gone(std::string how) {
  if (ProcessOwner* owner = std::exchange(owner_, nullptr)) owner->on_gone(std::move(how));
}

void Process::signal_group(int number) {
  if (!reaped_) ::kill(-spawned_pid_, number);
}

}  // namespace braidlog::tool::mcp
