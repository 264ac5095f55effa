// testdata/records_vN.jsonl pin the durable form: one line per event, {"hex":"…","event":{…}}. Databases hold these
// bytes, so they must be read as this event for ever. The newest file is what is written today;
// BRAIDLOG_UPDATE_GOLDEN=1 writes it anew, which is right before a release only. After a release an event that gets a
// new last field begins the next file, and the older ones stay as they are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <type_traits>

#include "event/encoding.h"
#include "event/event_type.h"

namespace braidlog {
namespace {

std::string file_of(int version) {
  return BRAIDLOG_SOURCE_DIR "/src/event/testdata/records_v" + std::to_string(version) + ".jsonl";
}
constexpr int kNewest = 4;

// Gives every field a value of its own that says where it came from.
class CountingFields {
 public:
  template <class T>
  void operator()(std::string_view name, T& value) {
    fill(name, value);
  }

 private:
  template <class T>
  void fill(std::string_view name, T& value) {
    ++count_;
    if constexpr (std::is_same_v<T, bool>) {
      value = true;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(1);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      value = -1000 - count_;
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(1000 + count_);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = std::string(name) + " \u20ac" + std::to_string(count_);
    } else if constexpr (requires { value.emplace(); }) {
      fill(name, value.emplace());
    } else if constexpr (requires { value.emplace_back(); }) {
      for (int i = 0; i < 2; ++i) fill(name, value.emplace_back());
    } else if constexpr (requires { value.value.bytes; }) {
      for (auto& byte : value.value.bytes) byte = static_cast<std::uint8_t>(++count_);
    } else {
      T::fields(value, *this);
    }
  }
  int count_ = 0;
};

template <std::size_t... I>
std::vector<RunEventBody> one_of_each(std::index_sequence<I...>) {
  return {RunEventBody(std::in_place_index<I>)...};
}

std::vector<RunEvent> events_to_pin() {
  std::vector<RunEvent> events;
  for (auto& body : one_of_each(std::make_index_sequence<std::variant_size_v<RunEventBody>>())) {
    CountingFields fields;
    std::visit([&](auto& b) { std::decay_t<decltype(b)>::fields(b, fields); }, body);
    events.push_back({{events.size() + 1}, {1'771'102'980'123}, 70'000, std::move(body)});
  }
  return events;
}

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<std::uint8_t>(c) >> 4];
    out += kDigits[static_cast<std::uint8_t>(c) & 15];
  }
  return out;
}

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

void record_anew() {
  std::ofstream out(file_of(kNewest));
  for (const auto& event : events_to_pin()) {
    std::string record;
    append_record(record, event);
    out << "{\"hex\":\"" << to_hex(record) << "\",\"event\":" << event_to_json(event) << "}\n";
  }
}

// hex -> the event's JSON, by the event's name.
struct Pinned {
  std::string hex, event;
};
std::map<std::string, Pinned, std::less<>> read_pinned(int version) {
  std::map<std::string, Pinned, std::less<>> found;
  std::ifstream in(file_of(version));
  // Taken apart as text: the JSON is compared as it stands.
  constexpr std::string_view kHex = "{\"hex\":\"", kEvent = "\",\"event\":", kType = "\"type\":\"";
  for (std::string line; std::getline(in, line);) {
    const auto middle = line.find(kEvent);
    if (!line.starts_with(kHex) || middle == std::string::npos) {
      ADD_FAILURE() << "no pinned record: " << line;
      continue;
    }
    Pinned pinned{line.substr(kHex.size(), middle - kHex.size()), line.substr(middle + kEvent.size())};
    pinned.event.pop_back();
    const auto type = pinned.event.find(kType) + kType.size();
    found[pinned.event.substr(type, pinned.event.find('"', type) - type)] = pinned;
  }
  return found;
}

TEST(PinnedRecords, AreReadAndWrittenAsTheyWere) {
  if (std::getenv("BRAIDLOG_UPDATE_GOLDEN") != nullptr) record_anew();
  const auto pinned = read_pinned(kNewest);
  EXPECT_EQ(pinned.size(), kEventTypes.size());
  std::uint64_t sequence = 0;
  for (const auto& row : kEventTypes) {
    ++sequence;
    const auto found = pinned.find(row.name);
    ASSERT_NE(found, pinned.end()) << row.name << " is not pinned";
    const std::string record = from_hex(found->second.hex);
    std::string_view rest = record;
    RecordContext context;
    const auto event = take_record(rest, {sequence}, context);
    ASSERT_TRUE(event) << row.name;
    EXPECT_TRUE(rest.empty()) << row.name;
    EXPECT_EQ(event_to_json(*event), found->second.event);
    std::string again;
    append_record(again, *event);
    EXPECT_EQ(to_hex(again), found->second.hex) << row.name;
  }
}

// Fields that came later have their defaults.
TEST(PinnedRecords, OfOlderVersionsAreReadAsTheyWere) {
  for (int version = 1; version < kNewest; ++version) {
    const auto pinned = read_pinned(version);
    ASSERT_FALSE(pinned.empty());
    for (const auto& [name, old] : pinned) {
      const auto then = parse_json(old.event);
      ASSERT_TRUE(then) << name;
      const std::string record = from_hex(old.hex);
      std::string_view rest = record;
      RecordContext context;
      const auto event = take_record(rest, {then->at("sequence").to_number<std::uint64_t>()}, context);
      ASSERT_TRUE(event) << name;
      const auto now = parse_json(event_to_json(*event));
      for (const auto& field : then->as_object()) EXPECT_EQ(now->at(field.key()), field.value()) << name;
    }
  }
}

}  // namespace
}  // namespace braidlog
