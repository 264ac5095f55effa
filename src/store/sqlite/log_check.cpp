#include "store/sqlite/log_check.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace braidlog::store {

namespace {

// sqlite.org/fileformat2.html, 4.
constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kSummedHeaderBytes = 8;  // of a frame's header: the page's number and the size after a commit
constexpr std::uint32_t kMagic = 0x377f0682;   // the lowest bit: checksums over big-endian words

std::uint32_t big_endian(const char* at) {
  std::array<unsigned char, 4> b{};
  std::memcpy(b.data(), at, b.size());
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | std::uint32_t{b[3]};
}

struct Checksum {
  std::uint32_t first = 0, second = 0;
  bool operator==(const Checksum&) const = default;

  static Checksum at(const char* bytes) { return {big_endian(bytes), big_endian(bytes + 4)}; }
  void add(const char* bytes, std::size_t count, bool is_big_endian) {
    for (const char* end = bytes + count; bytes != end; bytes += 8) {
      first += word(bytes, is_big_endian) + second;
      second += word(bytes + 4, is_big_endian) + first;
    }
  }

 private:
  static std::uint32_t word(const char* at, bool is_big_endian) {
    return is_big_endian ? big_endian(at) : __builtin_bswap32(big_endian(at));
  }
};

struct Frame {
  std::array<char, kFrameHeaderBytes + kPageBytes> bytes{};

  bool is_commit() const { return big_endian(&bytes[4]) != 0; }
  bool has_salt(const char* salt) const { return std::memcmp(&bytes[8], salt, 8) == 0; }
  Checksum stated() const { return Checksum::at(&bytes[16]); }
  // What the checksum is when the one before was `sum`.
  Checksum after(Checksum sum, bool is_big_endian) const {
    sum.add(bytes.data(), kSummedHeaderBytes, is_big_endian);
    sum.add(&bytes[kFrameHeaderBytes], kPageBytes, is_big_endian);
    return sum;
  }
};

class LogReader {
 public:
  explicit LogReader(std::ifstream& in) : in_(in) {}

  bool is_damaged() {
    // A head that does not add up may be one that a crash cut while the log was begun anew: SQLite drops it rightly.
    return in_.read(header_.data(), kHeaderBytes) && has_good_header() && has_broken_frame();
  }

 private:
  bool has_good_header() {
    const std::uint32_t magic = big_endian(header_.data());
    if ((magic & ~1u) != kMagic || big_endian(&header_[8]) != kPageBytes) return false;
    is_big_endian_ = (magic & 1) != 0;
    sum_.add(header_.data(), 24, is_big_endian_);
    return sum_ == Checksum::at(&header_[24]);
  }

  bool has_broken_frame() {
    Frame frame;
    while (next(frame)) {
      const Checksum sum = frame.after(sum_, is_big_endian_);
      if (sum == frame.stated()) {
        sum_ = sum;
        continue;
      }
      return is_followed(frame, frame.stated()) || is_followed(frame, sum);
    }
    return false;
  }

  bool next(Frame& frame) {
    return in_.read(frame.bytes.data(), static_cast<std::streamsize>(frame.bytes.size())) &&
           frame.has_salt(&header_[16]);
  }

  // Another transaction was begun after the one that `broken` is in: its commit, and then a frame more, come from this
  // place of the file on, in frames that fit one another and `sum` before them.
  bool is_followed(const Frame& broken, Checksum sum) {
    const auto place = in_.tellg();
    bool is_committed = broken.is_commit(), found = false;
    for (Frame frame; !found && next(frame);) {
      sum = frame.after(sum, is_big_endian_);
      if (sum != frame.stated()) break;
      found = is_committed;
      is_committed = is_committed || frame.is_commit();
    }
    in_.clear();
    in_.seekg(place);
    return found;
  }

  std::ifstream& in_;
  std::array<char, kHeaderBytes> header_{};
  bool is_big_endian_ = false;
  Checksum sum_;
};

}  // namespace

Status check_log(const std::string& log_path) {
  std::ifstream in(log_path, std::ios::binary);
  if (!in) return {};
  if (LogReader(in).is_damaged()) {
    return fail(ErrorCode::kStorage, "the database is damaged: its write-ahead log is broken before its end");
  }
  return {};
}

}  // namespace braidlog::store
