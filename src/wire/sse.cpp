#include "wire/sse.h"

#include <algorithm>
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

bool SseReader::next_line(std::string_view& bytes) {
  if (over_cap_) return false;
  if (std::exchange(line_is_over_, false)) line_begin_.clear();
  if (std::exchange(event_is_over_, false)) type_.clear();
  if (bytes.empty()) return false;
  if (std::exchange(after_cr_, false) && bytes.front() == '\n') bytes.remove_prefix(1);

  const auto lf = bytes.find('\n');
  const auto cr = bytes.substr(0, lf).find('\r');
  const auto length = std::min({lf, cr, bytes.size()});
  if (line_begin_.size() + length > line_bytes_max_) {
    over_cap_ = true;
    return false;
  }
  if (length == bytes.size()) return false;
  line_ = bytes.substr(0, length);
  bytes.remove_prefix(length + 1);
  if (!line_begin_.empty()) line_ = line_begin_ += line_;
  line_is_over_ = true;
  after_cr_ = cr != std::string_view::npos;
  return true;
}

bool SseReader::end_line() {
  if (std::exchange(at_start_, false) && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
  if (line_.empty()) {
    event_ = {type_.empty() ? "message" : std::string_view(type_), data_, last_id_};
    event_is_over_ = true;
    return std::exchange(has_data_, false);
  }
  const auto colon = line_.find(':');
  const auto field = line_.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view{} : line_.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    take_data(value);
  } else if (field == "event") {
    type_ = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    last_id_ = value;
  }
  return false;
}

void SseReader::take_data(std::string_view value) {
  if (!std::exchange(has_data_, true)) {
    data_ = value;
    if (!line_begin_.empty()) own_data();
    return;
  }
  if (data_.size() + 1 + value.size() > line_bytes_max_) {
    over_cap_ = true;
    return;
  }
  own_data();
  data_copy_ += '\n';
  data_copy_ += value;
  data_ = data_copy_;
}

void SseReader::own_data() {
  if (data_.data() == data_copy_.data()) return;
  data_copy_ = data_;
  data_ = data_copy_;
}

void SseReader::keep_rest(std::string_view bytes) {
  if (over_cap_) return;
  line_begin_ += bytes;
  if (has_data_) own_data();
}

}  // namespace braidlog
