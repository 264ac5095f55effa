#include "dialect/run_fields.h"

namespace braidlog {

void write_time(JsonWriter& w, const std::optional<WallTime>& time) {
  time ? w.string(to_iso8601(*time)) : w.null();
}

void write_usage(JsonWriter& w, const std::optional<Usage>& usage) {
  if (!usage) {
    w.null();
    return;
  }
  w.begin_object();
  w.key("input_tokens").number(usage->input_tokens);
  w.key("output_tokens").number(usage->output_tokens);
  w.key("total_tokens").number(usage->total_tokens());
  w.end_object();
}

}  // namespace braidlog
