#include "net/response_reader.h"

#include <algorithm>
#include <limits>

#include "base/release_memory.h"
#include "wire/http.h"

namespace braidlog {

namespace {

constexpr std::string_view kProtocol = "HTTP/1.";
constexpr std::size_t kStatusLineBytesMin = 12;  // "HTTP/1.1 200"
// Bodies are handed on, not kept: there is nothing to limit.
constexpr std::size_t kBodyBytesMax = std::numeric_limits<std::size_t>::max();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the next line off the text, without its end.
std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size() - 1);
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Field {
  std::string_view name, value;
};

// None for a line that is no field. A value that goes on in the next line (RFC 9112 5.2) makes that line none.
std::optional<Field> field_of(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto name = line.substr(0, colon);
  if (name.find_first_of(" \t") != std::string_view::npos) return std::nullopt;
  if (line.find_first_of(std::string_view("\0\r", 2)) != std::string_view::npos) return std::nullopt;
  return Field{name, trim(line.substr(colon + 1))};
}

// Whether a list such as that of Connection holds the word.
bool holds(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (equals_ignoring_case(trim(list.substr(0, end)), word)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::optional<std::uint64_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 18 || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<unsigned>(c - '0');
  return value;
}

// Where the empty line ends that ends a head, looked for from `from` on; npos: not yet.
std::size_t end_of_head(std::string_view text, std::size_t from) {
  for (auto line = text.find('\n', from); line != std::string_view::npos; line = text.find('\n', line + 1)) {
    if (text.substr(line + 1).starts_with('\n')) return line + 2;
    if (text.substr(line + 1).starts_with("\r\n")) return line + 3;
  }
  return std::string_view::npos;
}

}  // namespace

void ResponseReader::begin(bool is_for_head) {
  part_ = Part::kHead;
  is_for_head_ = is_for_head;
  keeps_connection_ = false;
  head_bytes_ = 0;
  partial_.clear();
  head_ = piece_ = {};
}

ResponseReader::Step ResponseReader::next(std::span<char>& bytes) {
  if (part_ != Part::kHead && !head_.empty()) {
    release_memory(partial_);
    head_ = {};
  }
  switch (part_) {
    case Part::kHead: return read_head(bytes);
    case Part::kBody: return read_body(bytes);
    case Part::kUntilClose:
      piece_ = {bytes.data(), bytes.size()};
      bytes = {};
      return piece_.empty() ? Step::kMore : Step::kPiece;
    case Part::kNoBody: return Step::kComplete;
    case Part::kBad: break;
  }
  return Step::kBad;
}

ResponseReader::Step ResponseReader::read_head(std::span<char>& bytes) {
  while (!bytes.empty()) {
    if (!find_head(bytes)) return part_ == Part::kBad ? fail() : Step::kMore;
    if (!parse_head()) return fail();
    if (status_ >= 200) return Step::kHead;
    if (status_ == 101) return fail();  // nobody asked for another protocol
    partial_.clear();
  }
  return Step::kMore;
}

// Takes bytes up to the end of the head. A head that lies in them whole is read there; else what came is kept.
bool ResponseReader::find_head(std::span<char>& bytes) {
  const std::size_t had = partial_.size();
  if (had > 0) partial_.append(bytes.data(), bytes.size());
  const std::string_view text = had > 0 ? std::string_view(partial_) : std::string_view(bytes.data(), bytes.size());

  const std::size_t end = end_of_head(text, had > 2 ? had - 2 : 0);
  // Noise is told from a slow server by its first bytes.
  const auto begin = text.substr(0, kProtocol.size());
  const bool is_too_long = std::min(end, text.size()) > kHeadBytesMax - head_bytes_;
  if (is_too_long || !kProtocol.starts_with(begin)) {
    part_ = Part::kBad;
    return false;
  }
  if (end == std::string_view::npos) {
    if (had == 0) partial_.assign(text);
    bytes = {};
    return false;
  }
  head_bytes_ += end;
  head_ = text.substr(0, end);
  bytes = bytes.subspan(end - had);
  return true;
}

bool ResponseReader::parse_head() {
  std::string_view text = head_;
  if (!parse_status_line(take_line(text))) return false;
  keeps_connection_ = !is_http_1_0_;
  Framing framing;
  for (auto line = take_line(text); !line.empty(); line = take_line(text)) {
    const auto field = field_of(line);
    if (!field || !take_field(field->name, field->value, framing)) return false;
  }
  if (status_ >= 200) choose_part(framing);
  return true;
}

bool ResponseReader::parse_status_line(std::string_view line) {
  if (line.size() < kStatusLineBytesMin || !line.starts_with(kProtocol)) return false;
  const auto digits = line.substr(9, 3);
  if (!is_digit(line[7]) || line[8] != ' ' || !std::all_of(digits.begin(), digits.end(), is_digit)) return false;
  if (line.size() > kStatusLineBytesMin && line[kStatusLineBytesMin] != ' ') return false;
  is_http_1_0_ = line[7] == '0';
  status_ = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
  return status_ >= 100;
}

// The fields that say where the answer ends and what becomes of the connection.
bool ResponseReader::take_field(std::string_view name, std::string_view value, Framing& framing) {
  if (equals_ignoring_case(name, "content-length")) {
    const auto length = parse_length(value);
    if (!length || (framing.length && framing.length != length)) return false;
    framing.length = length;
  } else if (equals_ignoring_case(name, "transfer-encoding")) {
    if (equals_ignoring_case(value, "identity")) return true;
    if (framing.is_chunked || !equals_ignoring_case(value, "chunked")) return false;
    framing.is_chunked = true;
  } else if (equals_ignoring_case(name, "connection")) {
    if (holds(value, "close")) {
      keeps_connection_ = false;
    } else if (is_http_1_0_ && holds(value, "keep-alive")) {
      keeps_connection_ = true;
    }
  }
  return true;
}

// RFC 9112 6.3. Chunks count more than a length beside them, but a server that says both is not spoken to again.
void ResponseReader::choose_part(const Framing& framing) {
  if (framing.is_chunked && (framing.length || is_http_1_0_)) keeps_connection_ = false;
  if (is_for_head_ || status_ == 204 || status_ == 304) {
    part_ = Part::kNoBody;
  } else if (framing.is_chunked) {
    part_ = Part::kBody;
    body_ = BodyDecoder::of_chunks(kBodyBytesMax);
  } else if (framing.length) {
    part_ = Part::kBody;
    body_ = BodyDecoder::of_length(*framing.length, kBodyBytesMax);
  } else {
    part_ = Part::kUntilClose;
    keeps_connection_ = false;
  }
}

ResponseReader::Step ResponseReader::read_body(std::span<char>& bytes) {
  const auto [taken, piece] = body_.join(bytes);
  bytes = bytes.subspan(taken);
  piece_ = piece;
  if (!piece.empty()) return Step::kPiece;
  switch (body_.state()) {
    case BodyDecoder::State::kMore: return Step::kMore;
    case BodyDecoder::State::kEnd: return Step::kComplete;
    case BodyDecoder::State::kBad:
    case BodyDecoder::State::kTooLarge: break;
  }
  return fail();
}

ResponseReader::Step ResponseReader::fail() {
  part_ = Part::kBad;
  return Step::kBad;
}

std::string_view ResponseReader::header(const char* name) const {
  std::string_view text = head_, found;
  take_line(text);
  for (auto line = take_line(text); !line.empty(); line = take_line(text)) {
    const auto field = field_of(line);
    if (field && equals_ignoring_case(field->name, name)) found = field->value;
  }
  return found;
}

}  // namespace braidlog
