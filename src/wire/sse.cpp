#include "wire/sse.h"

#include <utility>

namespace braidlog {

void append_frame(std::string& out, std::string_view type, std::string_view id, std::string_view data) {
  out.reserve(out.size() + type.size() + id.size() + data.size() + 24);
  if (!type.empty()) {
    out += "event: ";
    out += type;
    out += '\n';
  }
  if (!id.empty()) {
    out += "id: ";
    out += id;
    out += '\n';
  }
  out += "data: ";
  out += data;
  out += "\n\n";
}

bool SseReader::take(char c) {
  if (over_cap_) return false;
  const bool second_of_crlf = after_cr_ && c == '\n';
  after_cr_ = c == '\r';
  if (second_of_crlf) return true;
  if (c == '\r' || c == '\n') {
    end_line();
    line_.clear();
  } else if (line_.size() >= line_bytes_max_) {
    over_cap_ = true;
  } else {
    line_ += c;
  }
  return !over_cap_;
}

void SseReader::end_line() {
  std::string_view line = line_;
  if (std::exchange(at_start_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);

  if (line.empty()) {
    if (has_data_) {
      event_ = {type_.empty() ? "message" : std::move(type_), std::move(data_), last_id_};
      ready_ = true;
    }
    has_data_ = false;
    type_.clear();
    data_.clear();
    return;
  }

  const auto colon = line.find(':');
  const auto field = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (data_.size() + value.size() + 1 > line_bytes_max_) {
      over_cap_ = true;
      return;
    }
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
  } else if (field == "event") {
    type_ = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    last_id_ = value;
  }
}

}  // namespace braidlog
