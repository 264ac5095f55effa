#include "upstream/completion.h"

#include <array>

#include "wire/http_server.h"

namespace bench {

namespace {

constexpr std::string_view kStampSpace = "@0000000000000000";
constexpr std::string_view kDone = "data: [DONE]\n\n";

std::string event(std::string_view model, std::string_view rest) {
  std::string out =
      "data: {\"id\":\"chatcmpl-9f2Kq7bVx1LmPw4RtZyAe8Ds\",\"object\":\"chat.completion.chunk\",\"created\":1731670368,"
      "\"model\":\"";
  out.append(model).append("\",\"system_fingerprint\":\"fp_0ba0d124f1\",").append(rest).append("}\n\n");
  return out;
}

std::string role_event(std::string_view model) {
  return event(
      model,
      R"("choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}])");
}

std::string token_event(std::string_view model, std::string_view text) {
  std::string choice = R"("choices":[{"index":0,"delta":{"content":")";
  choice.append(text).append(R"("},"logprobs":null,"finish_reason":null}])");
  return event(model, choice);
}

std::string last_events(std::string_view model, std::uint64_t tokens) {
  std::string usage = R"("choices":[],"usage":{"prompt_tokens":21,"completion_tokens":)";
  usage.append(std::to_string(tokens)).append(R"(,"total_tokens":)").append(std::to_string(tokens + 21)).append("}");
  return event(model, R"("choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}])") +
         event(model, usage).append(kDone);
}

// Words of a usual length; what they are does not matter, that they differ does.
std::string_view word(std::uint64_t i) {
  constexpr std::array<std::string_view, 8> kWords = {" the",  " river", " runs",   " down",
                                                      " from", " its",   " spring", " slowly,"};
  return kWords[i % kWords.size()];
}

}  // namespace

std::string whole_completion(std::string_view model, std::uint64_t tokens) {
  std::string events = role_event(model);
  for (std::uint64_t i = 0; i < tokens; ++i) events += token_event(model, word(i));
  events += last_events(model, tokens);
  return std::string(event_stream_head()) + chunk(events) + chunk("");
}

PacedCompletion::PacedCompletion(std::string_view model)
    : model_(model),
      opening_(std::string(event_stream_head()) + chunk(role_event(model))),
      token_(chunk(token_event(model, kStampSpace))),
      stamp_offset_(token_.find(kStampSpace) + 1) {}

std::string_view PacedCompletion::token(std::int64_t stamp_ns) {
  // Only the digits differ from token to token, so the rest is written once.
  for (std::size_t i = kStampSpace.size() - 1; i-- > 0; stamp_ns /= 10) {
    token_[stamp_offset_ + i] = static_cast<char>('0' + stamp_ns % 10);
  }
  return token_;
}

std::string PacedCompletion::closing(std::uint64_t tokens) const {
  return chunk(last_events(model_, tokens)) + chunk("");
}

}  // namespace bench
