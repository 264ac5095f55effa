#include "base/environment.h"

#include <cstdlib>

namespace braidlog {

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<std::string> expand_variables(std::string_view text, const Environment& environment) {
  std::string out;
  while (true) {
    const auto at = text.find("${");
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 2);
    if (out.ends_with('$')) {
      out += '{';
      continue;
    }
    const auto end = text.find('}');
    if (end == std::string_view::npos) return fail(ErrorCode::kBadField, "a '${' has no '}'");
    const std::string name(text.substr(0, end));
    const auto value = environment(name);
    if (!value) return fail(ErrorCode::kBadField, "the environment variable " + name + " is not set");
    out += *value;
    text.remove_prefix(end + 1);
  }
}

}  // namespace braidlog
