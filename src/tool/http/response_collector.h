// One request of a tool and its whole answer, as far as it is taken. Runs on: the loop of its client.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/http_client.h"

namespace braidlog::tool {

struct CollectedResponse {
  CallEnd end = CallEnd::kComplete;
  int status = 0;  // 0: there was no answer
  std::string content_type, content_encoding, location;
  std::string body;
  bool is_cut = false;  // the body is longer; `end` is kComplete then
};

// Destroying it closes the connection, and `done` is never called.
class ResponseCollector final : private HttpCallSink {
 public:
  using Done = UniqueFunction<void(CollectedResponse)>;

  // `done` comes once, not from inside the constructor; it may destroy this. More than `bytes_max` is not waited for.
  ResponseCollector(HttpClient& client, OutgoingRequest request, std::size_t bytes_max, Done done);
  ResponseCollector(const ResponseCollector&) = delete;

 private:
  void on_head(const ResponseHead& head) override;
  void on_bytes(std::string_view bytes) override;
  void on_done(CallEnd end) override;

  const std::size_t bytes_max_;
  Done done_;
  CollectedResponse response_;
  std::unique_ptr<HttpCall> call_;
};

// How a call without an answer ended, in words for the model: "the server could not be reached". `host` is what was
// asked for.
std::string words_for(CallEnd end, std::string_view host);

}  // namespace braidlog::tool
