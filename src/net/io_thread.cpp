#include "net/io_thread.h"

#include <pthread.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

namespace braidlog {

namespace {

// Shared by the handle and the pending wait: a wait that is already complete when its handle goes still runs, and
// must then find nothing to do.
struct TimerState {
  TimerState(boost::asio::io_context& context, Task t) : timer(context), task(std::move(t)) {}
  boost::asio::steady_timer timer;
  Task task;
};

class AsioTimerHandle final : public TimerHandle {
 public:
  explicit AsioTimerHandle(std::shared_ptr<TimerState> state) : state_(std::move(state)) {}
  ~AsioTimerHandle() override {
    state_->task = nullptr;
    state_->timer.cancel();
  }

 private:
  std::shared_ptr<TimerState> state_;
};

struct Handoff {
  explicit Handoff(Task t) : task(std::move(t)) {}

  void run() {
    if (taken.exchange(true)) return;
    task();
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }

  Task task;
  std::atomic<bool> taken{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;  // under mutex
};

}  // namespace

IoThread::IoThread(unsigned index, const Clock& clock) : index_(index), clock_(clock), context_(1) {}

IoThread::~IoThread() {
  stop();
  join();
  drop_posted();
}

// One round at a time: what tasks own may post once more as it goes.
void IoThread::drop_posted() {
  std::vector<Task> dropped;
  do {
    dropped.clear();
    const std::lock_guard lock(mutex_);
    dropped.swap(posted_);
  } while (!dropped.empty());
}

void IoThread::start() {
  BRAIDLOG_CHECK(!thread_.joinable());
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), ("io-" + std::to_string(index_)).c_str());
    const auto guard = boost::asio::make_work_guard(context_);
    context_.run();
  });
}

void IoThread::stop() {
  context_.stop();
}

void IoThread::join() {
  if (thread_.joinable()) thread_.join();
}

void IoThread::run_and_wait(Task task) {
  const auto handoff = std::make_shared<Handoff>(std::move(task));
  if (thread_.joinable()) {
    post([handoff] { handoff->run(); });
    std::unique_lock lock(handoff->mutex);
    // A loop that is stopped meanwhile drops the task; there is no notice of that, hence the short waits.
    while (!handoff->done && !context_.stopped()) {
      handoff->changed.wait_for(lock, std::chrono::milliseconds(5));
    }
    if (handoff->done) return;
    lock.unlock();
    join();
  }
  handoff->run();
}

void IoThread::post(Task task) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  if (is_first) boost::asio::post(context_, [this] { run_posted(); });
}

// One round: what is posted meanwhile waits for the next, so that sockets and timers have their turn.
void IoThread::run_posted() {
  std::vector<Task> round;
  {
    const std::lock_guard lock(mutex_);
    round.swap(posted_);
  }
  for (auto& task : round) {
    if (context_.stopped()) return;
    task();
    task = nullptr;
  }
}

Timer IoThread::after(std::chrono::milliseconds delay, Task task) {
  auto state = std::make_shared<TimerState>(context_, std::move(task));
  state->timer.expires_after(delay);
  state->timer.async_wait([state](const boost::system::error_code&) {
    if (!state->task) return;
    // Moved out first: the task may destroy its own handle.
    Task due = std::move(state->task);
    due();
  });
  return std::make_unique<AsioTimerHandle>(std::move(state));
}

}  // namespace braidlog
