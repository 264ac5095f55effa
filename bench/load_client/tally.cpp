#include "load_client/tally.h"

#include <algorithm>
#include <charconv>

#include "wire/socket.h"

namespace bench {

namespace {

constexpr char kStampMark = '@';
constexpr std::size_t kStampDigits = 16;

}  // namespace

void Tally::begin() {
  begun_ns_ = monotonic_ns();
  cpu_before_ = own_cpu_seconds();
}

double Tally::seconds() const {
  return static_cast<double>(monotonic_ns() - begun_ns_) / 1e9;
}

void Tally::count(const RunClient::Stream& stream) {
  ++streams_;
  frames_ += stream.frames;
  bytes_ += stream.bytes;
  if (stream.fault.empty()) return;
  ++faults_;
  if (first_fault_.empty()) first_fault_ = stream.fault;
}

void Tally::add_to(JsonLine& line) const {
  line.add("streams", streams_).add("frames", frames_).add("bytes", bytes_).add("seconds", seconds());
  line.add("client_cpu_seconds", own_cpu_seconds() - cpu_before_).add("faults", faults_);
  line.add("first_fault", first_fault_);
}

bool has_stamp(std::string_view frame) {
  return frame.find(kStampMark) != std::string_view::npos;
}

void Delays::note(std::string_view frame) {
  const std::size_t at = frame.find(kStampMark);
  if (at == std::string_view::npos || frame.size() < at + 1 + kStampDigits) return;
  std::int64_t stamp = 0;
  const char* digits = frame.data() + at + 1;
  if (std::from_chars(digits, digits + kStampDigits, stamp).ec == std::errc()) {
    delays_ns_.push_back(monotonic_ns() - stamp);
  }
}

void Delays::add_to(JsonLine& line) {
  if (delays_ns_.empty()) return;
  std::sort(delays_ns_.begin(), delays_ns_.end());
  const auto at = [this](double share) {
    return static_cast<double>(
               delays_ns_[static_cast<std::size_t>(share * static_cast<double>(delays_ns_.size() - 1))]) /
           1e6;
  };
  line.add("tokens_timed", static_cast<std::uint64_t>(delays_ns_.size()));
  line.add("delay_ms_p50", at(0.5))
      .add("delay_ms_p90", at(0.9))
      .add("delay_ms_p99", at(0.99))
      .add("delay_ms_max", at(1));
}

}  // namespace bench
