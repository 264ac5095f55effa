// One request to a provider's server and the stream that it answers with: an HTTP call, its bytes as server-sent
// events, those to the reader of the provider's own language. This is all that knows of sockets and time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/loop.h"
#include "net/http_client.h"
#include "provider/attempt.h"
#include "wire/sse.h"

namespace braidlog::provider {

// Makes an answer of the events of one stream. It speaks to a sink of its own choice.
class AnswerReader {
 public:
  enum class Taken {
    kMore,
    kDone,        // the provider says that this was all
    kUnreadable,  // no JSON
  };

  virtual ~AnswerReader() = default;
  virtual void silence() = 0;
  // An error ends the answer.
  virtual tl::expected<Taken, AttemptFailure> take(const SseView& event) = 0;
  // Takes events off the front of `bytes`, which begin with one, that it knows without reading them (SseReader::feed).
  virtual void take_known(std::string_view&) {}
  // All that came in one read was taken.
  virtual void end_read() = 0;
  // At the end of the stream. kUpstreamTruncated without a finish reason: nothing else tells a complete answer from a
  // cut one.
  virtual tl::expected<ModelFinish, AttemptFailure> finish() = 0;
  // The provider has said why it stopped.
  virtual bool has_reason() const = 0;
  // Asked before finish(). Not none: the answer only pauses, and goes on as the answer to this body.
  virtual std::optional<std::string> next_body() { return std::nullopt; }
};

// What an attempt uses of its loop; all of it outlives the call.
struct AttemptPlace {
  HttpClient& client;
  Loop& loop;
  std::size_t line_bytes_max = 0;
};

// `offers_tools`: a refusal may be for their sake.
std::unique_ptr<ModelCall> start_attempt(OutgoingRequest request, bool offers_tools,
                                         std::unique_ptr<AnswerReader> reader, AttemptSink& sink, AttemptPlace place);

}  // namespace braidlog::provider
