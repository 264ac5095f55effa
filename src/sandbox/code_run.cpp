#include "sandbox/code_run.h"

#include <signal.h>
#include <string.h>

#include <algorithm>

#include "base/utf8.h"

namespace braidlog::sandbox {

namespace {

constexpr std::chrono::milliseconds kStopGrace{500};
constexpr std::string_view kGone = "; the process was killed, and its variables are gone";

std::string how_it_ended(int status, const LimitWords& words) {
  const std::string gone = ", and its variables are gone";
  if (status == 128 + SIGKILL) return "the Python process was killed" + gone;
  if (status == 128 + SIGXFSZ) return words.disk + gone;
  if (status > 128) {
    return std::string("the Python process crashed (") + strsignal(status - 128) + ")" + gone;
  }
  return "the Python process ended (exit status " + std::to_string(status) + ")" + gone;
}

// A text of the runner: it may be of any length.
std::optional<std::string> within(std::optional<std::string> text, std::size_t bytes_max) {
  constexpr std::size_t kMarkBytes = 64;  // the runner's own mark of a cut
  if (text && text->size() > bytes_max + kMarkBytes) text->resize(utf8_prefix(*text, bytes_max).size());
  return text;
}

}  // namespace

void CodeRun::begin(Time now) {
  since_ = now;
}

void CodeRun::pause(Time now) {
  used_ += now - since_;
  waits_ = true;
}

void CodeRun::resume(Time now) {
  since_ = now;
  waits_ = false;
}

std::optional<Time> CodeRun::kill_at() const {
  if (waits_) return std::nullopt;
  return since_ + (limits_.code_time_max - used_) + kStopGrace;
}

bool CodeRun::add_output(std::string_view bytes) {
  output_bytes_ += bytes.size();
  output_.append(bytes.substr(0, limits_.code_output_bytes_max + 1 - output_.size()));
  return output_bytes_ <= 2 * limits_.code_output_bytes_max + 64 * 1024;
}

CodeOutcome CodeRun::ended(RunnerMessage message) {
  CodeOutcome outcome;
  outcome.printed = printed();
  outcome.value = within(std::move(message.value), limits_.code_output_bytes_max);
  outcome.error = within(std::move(message.error), limits_.code_output_bytes_max);
  if (!outcome.error && output_bytes_ > limits_.code_output_bytes_max) outcome.error = words_.output;
  if (outcome.error) outcome.value.reset();
  if (!outcome.error) outcome.final = std::move(message.final);
  outcome.lost = message.leaving;
  return outcome;
}

CodeOutcome CodeRun::stopped(StopReason reason, int status) {
  CodeOutcome outcome;
  outcome.printed = printed();
  outcome.lost = true;
  switch (reason) {
    case StopReason::kNone: outcome.error = how_it_ended(status, words_); break;
    case StopReason::kTime: outcome.error = words_.time; break;
    case StopReason::kOutput: outcome.error = words_.output; break;
    case StopReason::kDisk: outcome.error = words_.disk; break;
    case StopReason::kProtocol: outcome.error = "the code broke the line to the server"; break;
  }
  if (reason != StopReason::kNone) *outcome.error += kGone;
  return outcome;
}

std::string CodeRun::printed() {
  // Broken bytes become three each.
  std::string text = to_valid_utf8(output_);
  if (std::max(output_.size(), text.size()) <= limits_.code_output_bytes_max) return text;
  text.resize(utf8_prefix(text, limits_.code_output_bytes_max).size());
  // The limit may have come in the middle of a character.
  if (text.ends_with("\xef\xbf\xbd")) text.resize(text.size() - 3);
  return text + "… (cut: " + words_.output + ")";
}

}  // namespace braidlog::sandbox
