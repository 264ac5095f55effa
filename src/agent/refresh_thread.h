// A thread that calls one function again whenever it was asked to, once for any number of requests that came meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace braidlog::agent {

class RefreshThread {
 public:
  explicit RefreshThread(std::function<void()> work);
  // Waits for a call that is under way.
  ~RefreshThread();
  RefreshThread(const RefreshThread&) = delete;
  RefreshThread& operator=(const RefreshThread&) = delete;

  // Asks. From any thread, never blocks, and does nothing once this object is gone.
  std::function<void()> request() const;

 private:
  struct Shared;  // with those who ask

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace braidlog::agent
