#include "dialect/wire_text.h"

#include "base/json.h"
#include "base/utf8.h"

namespace braidlog {

void append_cut_json_string(std::string& out, std::string_view text, std::size_t bytes_max) {
  const std::string_view kept = utf8_prefix(text, bytes_max);
  append_json_string(out, kept);
  if (kept.size() == text.size()) return;
  out.pop_back();  // the closing quote
  out += "\u2026 [cut: ";
  out += std::to_string(text.size() - kept.size());
  out += " bytes]\"";
}

}  // namespace braidlog
