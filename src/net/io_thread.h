// An io thread: one Asio context, one thread, index 0..n-1. Whatever lives on it is touched only from it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/loop.h"

namespace braidlog {

class IoThread final : public Loop {
 public:
  IoThread(unsigned index, const Clock& clock);
  ~IoThread() override;  // stops and joins

  void start();
  // Ends the loop after the task it is in; tasks not yet run are dropped. From any thread.
  void stop();
  void join();
  // Destroys the tasks that never ran, while what they refer to is still there. After join().
  void drop_posted();
  // Runs `task` on the loop and returns when it is done; where the loop never began or has ended, runs it on the
  // caller's thread, since nothing else then touches what lives on the loop. Not from the loop itself. For tearing
  // down by the thread's owner.
  void run_and_wait(Task task);

  void post(Task task) override;
  Timer after(std::chrono::milliseconds delay, Task task) override;
  const Clock& clock() const override { return clock_; }
  unsigned index() const override { return index_; }

  boost::asio::io_context& context() { return context_; }

 private:
  void run_posted();

  const unsigned index_;
  const Clock& clock_;
  boost::asio::io_context context_;
  std::thread thread_;

  // Posts wait here and not in the context: with one thread Asio keeps what the thread posts to itself in a queue
  // of its own for a while, and a later post of another thread would overtake it.
  std::mutex mutex_;
  std::vector<Task> posted_;  // under mutex_
};

using IoThreads = std::vector<std::unique_ptr<IoThread>>;

}  // namespace braidlog
