#include "terminal/pump.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace braidlog::terminal {

Result<std::unique_ptr<Pump>> Pump::make() {
  std::unique_ptr<Pump> pump(new Pump());
  pump->threads_.push_back(std::make_unique<IoThread>(0, pump->clock_));
  auto clients = HttpClients::make(pump->threads_, pump->limits_);
  if (!clients) return fail(clients.error());
  pump->clients_ = std::move(*clients);
  auto watched = HttpClientSockets::make(
      pump->context(), [self = pump.get()](const epoll_event* first, int count) { self->on_ready(first, count); });
  if (!watched) return fail(watched.error());
  pump->watched_ = std::move(*watched);
  pump->guard_ = std::make_unique<Guard>(boost::asio::make_work_guard(pump->context()));
  return pump;
}

Pump::~Pump() = default;

Status Pump::take_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal_fd_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signal_fd_) return fail(ErrorCode::kUnavailable, std::string("cannot hear signals: ") + std::strerror(errno));
  watched_->watch(signal_fd_.get(), EPOLLIN);
  return {};
}

std::size_t Pump::stop_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(signals_, [](int signal) { return signal != SIGWINCH && signal != SIGCONT; }));
}

int Pump::next_signal() {
  if (signals_.empty()) return 0;
  const int signal = signals_.front();
  signals_.pop_front();
  return signal;
}

// A file and /dev/null cannot be watched, and need not be: they are always ready.
bool Pump::has_input() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&input, 1, 0) > 0) {
    if (std::exchange(watches_input_, false)) watched_->forget(STDIN_FILENO);
    return true;
  }
  if (!std::exchange(watches_input_, true)) watched_->watch(STDIN_FILENO, EPOLLIN);
  return false;
}

void Pump::on_ready(const epoll_event* first, int count) {
  for (const epoll_event* event = first; event != first + count; ++event) {
    if (event->data.fd == STDIN_FILENO) {
      watched_->forget(STDIN_FILENO);  // or it would be told again until somebody reads
      watches_input_ = false;
    } else {
      read_signals();
    }
  }
}

void Pump::read_signals() {
  signalfd_siginfo info{};
  while (::read(signal_fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    signals_.push_back(static_cast<int>(info.ssi_signo));
  }
}

}  // namespace braidlog::terminal
