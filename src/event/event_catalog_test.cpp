// docs/event-catalog.md, which tools/make_event_catalog.py makes of the headers as text, has a row for every event that
// the compiler knows, with every field of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "event/event_type.h"

namespace braidlog {
namespace {

// The rows of the catalog's tables of events, by the name in the first cell.
std::map<std::string, std::string, std::less<>> read_rows() {
  std::map<std::string, std::string, std::less<>> rows;
  std::ifstream in(BRAIDLOG_SOURCE_DIR "/docs/event-catalog.md");
  bool is_inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| event | fields |")) is_inside = true;
    if (line.empty()) is_inside = false;
    if (!is_inside || !line.starts_with("| `")) continue;
    rows[line.substr(3, line.find('`', 3) - 3)] = line;
  }
  return rows;
}

template <std::size_t... I>
std::vector<RunEventBody> one_of_each(std::index_sequence<I...>) {
  return {RunEventBody(std::in_place_index<I>)...};
}

TEST(EventCatalog, HasARowForEveryEventWithItsFields) {
  const auto rows = read_rows();
  for (const auto& body : one_of_each(std::make_index_sequence<std::variant_size_v<RunEventBody>>())) {
    const auto name = name_of(type_of(body));
    const auto row = rows.find(name);
    ASSERT_NE(row, rows.end()) << name << " has no row";
    auto look = [&](std::string_view field, const auto&) {
      EXPECT_NE(row->second.find("`" + std::string(field) + "`"), std::string::npos) << name << ": " << field;
    };
    std::visit([&](const auto& b) { std::decay_t<decltype(b)>::fields(b, look); }, body);
  }
}

TEST(EventCatalog, HasNoRowForAnythingElse) {
  for (const auto& [name, row] : read_rows()) {
    const auto known = std::ranges::find(kEventTypes, name, &EventTypeRow::name);
    EXPECT_NE(known, kEventTypes.end()) << name;
  }
}

}  // namespace
}  // namespace braidlog
