// One client of the server: a connection that starts runs and watches them, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "load_client/frame_splitter.h"
#include "load_client/target.h"
#include "wire/poller.h"
#include "wire/response_reader.h"
#include "wire/socket.h"

namespace bench {

class RunClient : public Poller::Watcher, private ResponseReader::Sink {
 public:
  struct Stream {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    bool ended_well = false;  // the last frame was seen, and nothing after it
    std::string fault;        // why the stream does not count; empty when all is as expected
  };

  class Observer {
   public:
    virtual ~Observer() = default;
    // Only after make_session().
    virtual void on_session(RunClient&) {}
    virtual void on_frame(RunClient&, std::string_view) {}
    // The stream is over, well or not; the client may be used again at once.
    virtual void on_end(RunClient&, const Stream&) = 0;
  };

  RunClient(Poller& poller, const Target& target, Observer& observer);
  ~RunClient() override;
  RunClient(const RunClient&) = delete;

  // Each is one thing at a time. A connection is made when there is none.
  void make_session();
  void start_run();  // in a session of its own, where the contract has sessions
  void start_run_in(std::string_view session);
  void watch(std::string_view run);

  const std::string& session() const { return session_; }
  const std::string& run() const { return run_; }

  void on_ready(std::uint32_t ready) override;

 private:
  enum class Step { kIdle, kSessionAlone, kSession, kRun, kStream };

  void on_body(std::string_view piece) override;
  void on_end() override;
  void on_frame(std::string_view frame);
  void send(Step step, const std::string& request);
  void write_rest();
  void take_answer();
  void end_stream();
  void fail(std::string fault);
  void disconnect();
  void report();

  Poller& poller_;
  const Target& target_;
  Observer& observer_;
  Socket socket_;
  ResponseReader reader_{*this};
  Step step_ = Step::kIdle;
  std::string request_;  // what the socket has not taken yet
  std::string answer_;   // the body of an answer that is no stream
  std::string session_;
  std::string run_;
  FrameSplitter splitter_;
  Stream stream_;
};

}  // namespace bench
