// The ways in which the offline model can be told to fail (`fail: KIND` in an agent file), so that every
// error path can be seen without a broken provider.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/offline/answer.h"
#include "provider/offline/situation.h"

namespace braidlog::provider {

enum class Failure {
  kProviderError,  // fails before the first word
  kRateLimit,      // the same, as a provider that is too busy
  kTimeout,        // the same, as a provider that did not answer in time
  kTruncated,      // some words, then the stream is cut
  kCutInArgs,      // half of a tool call's arguments, or of code, then the stream is cut
  kBadArgs,        // a tool call whose arguments are no JSON, or code that is no Python; then a normal answer
  kUnknownTool,    // a call of a tool that does not exist, in code too; then a normal answer
  kNoUsage,        // a normal answer without counts
  kHang,           // one word, then silence for ever
  kEndless,        // words for ever
  kEmpty,          // finishes without a word
  kToolsRefused,   // fails before the first word of each call that offers tools; a normal answer without them
};

// The words for them, in the order above.
const std::vector<std::string>& offline_failure_kinds();
std::optional<Failure> parse_failure(std::string_view kind);

Answer fail_as(Failure failure, const Situation& situation);

}  // namespace braidlog::provider
