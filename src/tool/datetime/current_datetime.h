// current_datetime {timezone?}: the time of the loop's clock, to the second, with its weekday. The value is
// {datetime, weekday, utc}. A timezone is an offset from UTC such as "+02:00"; names of zones would need a
// database that is newer than the binary.
#pragma once

#include <optional>
#include <string_view>

#include "tool/schema.h"

namespace braidlog::tool {

class CurrentDatetime final : public SchemaTool {
 public:
  CurrentDatetime();
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;
};

// Minutes east of UTC of "UTC", "Z", "+02:00" or "-11:30", at most 14 hours; none for anything else.
std::optional<int> parse_utc_offset(std::string_view text);

}  // namespace braidlog::tool
