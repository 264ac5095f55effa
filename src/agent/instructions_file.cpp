#include "agent/instructions_file.h"

#include <algorithm>

#include "agent/text_file.h"
#include "base/utf8.h"

namespace braidlog::agent {

namespace fs = std::filesystem;

Result<std::string> read_instructions_file(const fs::path& folder, const std::string& name) {
  const std::string shown = "instructions file '" + name + "'";
  const fs::path relative(name);
  const bool climbs = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (name.empty() || relative.is_absolute() || climbs) {
    return fail(ErrorCode::kBadField, shown + " must be inside the agent's folder");
  }
  std::error_code error;
  const fs::path home = fs::canonical(folder, error);
  const fs::path target = error ? fs::path() : fs::canonical(folder / relative, error);
  if (error) return fail(ErrorCode::kBadField, shown + " is not there");
  const fs::path inside = target.lexically_relative(home);
  if (inside.empty() || *inside.begin() == "..") {
    return fail(ErrorCode::kBadField, shown + " must be inside the agent's folder");
  }
  auto text = read_text_file(target);
  if (!text) return fail(ErrorCode::kBadField, shown + " " + text.error().message);
  if (!is_valid_utf8(*text)) return fail(ErrorCode::kBadField, shown + " is not valid UTF-8");
  return text;
}

}  // namespace braidlog::agent
