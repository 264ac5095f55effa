// An io thread: one Asio context, one thread, index 0..n-1. Whatever lives on it is touched only from it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
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
  unsigned index_;
  const Clock& clock_;
  boost::asio::io_context context_;
  std::thread thread_;
};

using IoThreads = std::vector<std::unique_ptr<IoThread>>;

}  // namespace braidlog
