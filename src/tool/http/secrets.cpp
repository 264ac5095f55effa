#include "tool/http/secrets.h"

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"
#include "wire/http.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kSecretBytesMin = 4;
constexpr std::string_view kInPlace = "[secret]";

}  // namespace

Result<std::string> Secrets::expand(std::string_view text, const Environment& environment) {
  return expand_variables(text, [&](const std::string& name) {
    auto value = environment(name);
    if (value) keep(*value);
    return value;
  });
}

void Secrets::keep(const std::string& value) {
  if (value.size() < kSecretBytesMin) return;
  std::vector<std::string> spellings{value, percent_encode(value)};
  if (is_valid_utf8(value)) {
    std::string quoted;
    append_json_string(quoted, value);
    spellings.push_back(quoted.substr(1, quoted.size() - 2));
  }
  for (auto& spelling : spellings) {
    if (std::ranges::find(spellings_, spelling) == spellings_.end()) spellings_.push_back(std::move(spelling));
  }
  std::ranges::stable_sort(spellings_, std::ranges::greater{}, &std::string::size);
}

std::string Secrets::removed_from(std::string text) const {
  for (const auto& spelling : spellings_) {
    auto at = text.find(spelling);
    if (at == std::string::npos) continue;
    // Into another text: to move the rest of this one for each of them takes for ever when there are many.
    std::string out;
    std::size_t taken = 0;
    for (; at != std::string::npos; at = text.find(spelling, taken)) {
      out.append(text, taken, at - taken).append(kInPlace);
      taken = at + spelling.size();
    }
    out.append(text, taken);
    text = std::move(out);
  }
  return text;
}

}  // namespace braidlog::tool
