#include "engine/context_window.h"

#include <algorithm>
#include <span>

#include "base/utf8.h"

namespace braidlog {

namespace {

using Role = ModelMessage::Role;

constexpr std::size_t kMessageTokens = 8;  // of the frame around each
constexpr std::size_t kAnswerTokens = 8'192;
constexpr std::size_t kShortBytes = 400;    // what stays of a result that is shortened
constexpr std::size_t kLeastBytes = 2'000;  // nothing is cut below this for its length alone
constexpr char kLeftOut[] =
    "\n\n[Earlier messages of this conversation were left out: they are too long to be read again.]";
constexpr char kCut[] = "\n[The rest was left out: it is too long to be read again.]";

std::size_t tokens_of(const ModelMessage& message) {
  std::size_t tokens = kMessageTokens + guess_tokens(message.text);
  for (const auto& call : message.calls)
    tokens += kMessageTokens + guess_tokens(call.name) + guess_tokens(call.args_json);
  for (const auto& blob : message.opaque) tokens += guess_tokens(blob);
  return tokens;
}

std::size_t tokens_of(const ModelRequest& request) {
  std::size_t tokens = guess_tokens(request.instructions) + guess_tokens(request.context.value_or(""));
  for (const auto& tool : request.tools) {
    tokens +=
        kMessageTokens + guess_tokens(tool.name) + guess_tokens(tool.description) + guess_tokens(tool.parameters_json);
  }
  for (const auto& message : request.messages) tokens += tokens_of(message);
  return tokens;
}

// Takes turns off the front until what is left fits. What is said in `before` messages and is no turn (an answer
// without a question) goes with the turn before it.
std::size_t drop_oldest(ModelRequest& request, std::size_t before, std::size_t excess) {
  std::size_t dropped = 0, saved = 0;
  while (dropped < before && saved < excess) {
    do {
      saved += tokens_of(request.messages[dropped++]);
    } while (dropped < before && request.messages[dropped].role != Role::kUser);
  }
  request.messages.erase(request.messages.begin(), request.messages.begin() + static_cast<std::ptrdiff_t>(dropped));
  if (dropped > 0) request.instructions += kLeftOut;
  return saved;
}

// Gives back how many tokens it saved.
std::size_t shorten(ModelMessage& message, std::size_t bytes) {
  if (message.text.size() <= bytes + sizeof kCut) return 0;
  const std::size_t tokens = guess_tokens(message.text);
  message.text = std::string(utf8_prefix(message.text, bytes)) + kCut;
  return tokens - std::min(tokens, guess_tokens(message.text));
}

// What tools gave back before the last turn: the model has worked with it already.
std::size_t shorten_results(std::vector<ModelMessage>& messages, std::size_t excess) {
  const auto last = std::find_if(messages.rbegin(), messages.rend(),
                                 [](const ModelMessage& message) { return message.role == Role::kAssistant; });
  const auto end = messages.rend() - last;
  std::size_t saved = 0;
  for (auto message = messages.begin(); message != messages.begin() + end && saved < excess; ++message) {
    if (message->role == Role::kTool) saved += shorten(*message, kShortBytes);
  }
  return saved;
}

std::size_t shorten_longest(std::span<ModelMessage> messages, std::size_t excess) {
  const auto longest =
      std::ranges::max_element(messages, {}, [](const ModelMessage& message) { return message.text.size(); });
  if (longest == messages.end()) return 0;
  // A token is at least a byte: this never leaves too little out, and takes few rounds.
  const std::size_t size = longest->text.size();
  return shorten(*longest, std::max(kLeastBytes, size - std::min(size, std::max(excess * 3, size / 4))));
}

}  // namespace

// English has four bytes to a token, code and JSON three; in most other scripts a character is about one token.
std::size_t guess_tokens(std::string_view text) {
  std::size_t plain = 0, other = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    plain += byte < 0x80;
    other += byte >= 0xC0;
  }
  return (plain + 2) / 3 + other;
}

std::size_t prompt_tokens(std::size_t context_tokens, std::size_t answer_tokens) {
  const std::size_t answer = std::min(answer_tokens != 0 ? answer_tokens : kAnswerTokens, context_tokens / 2);
  return context_tokens - answer;
}

void fit_into(ModelRequest& request, std::size_t before, std::size_t tokens) {
  std::size_t needed = tokens_of(request);
  if (needed <= tokens) return;
  needed -= std::min(needed, drop_oldest(request, before, needed - tokens));
  needed += guess_tokens(kLeftOut);
  if (needed > tokens) needed -= std::min(needed, shorten_results(request.messages, needed - tokens));
  // What is to be continued must keep its end.
  const std::span messages(request.messages.data(), request.messages.size() - (request.continue_last ? 1 : 0));
  while (needed > tokens) {
    const std::size_t saved = shorten_longest(messages, needed - tokens);
    if (saved == 0) return;  // nothing is left that can be cut: the provider is to say so
    needed -= std::min(needed, saved);
  }
}

}  // namespace braidlog
