// What the tools on a session's artifacts and data items share. They read through port/session_items.h and write
// nothing themselves: what a call changes is in its outcome, becomes an event, and is in the tables when the result is.
// So a call that a crash cut off has changed nothing and may run again. Errors are in plain words for the model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/utf8.h"
#include "port/session_items.h"
#include "port/tool.h"

namespace braidlog::tool {

struct ItemToolContext {
  SessionItems& items;  // outlives the tool and every call of it
  std::size_t artifacts_max;
  std::size_t artifact_bytes_max;
  std::size_t data_items_max;
  std::size_t data_item_bytes_max;
  std::size_t text_bytes_max;  // what a model is shown of a long text; the rest is cut, with a mark

  static ItemToolContext of(SessionItems& items, const Limits& limits) {
    return {.items = items,
            .artifacts_max = limits.session_artifacts_max,
            .artifact_bytes_max = limits.artifact_bytes_max,
            .data_items_max = limits.session_data_items_max,
            .data_item_bytes_max = limits.data_item_bytes_max,
            .text_bytes_max = limits.wire_text_bytes_max};
  }
};

// None of these tools needs approval: nothing outside the server sees what they do.
inline ToolSpec item_spec(std::string name, std::string description, std::string schema, bool changes) {
  ToolSpec spec;
  spec.name = std::move(name);
  spec.description = std::move(description);
  spec.parameters_json = std::move(schema);
  spec.writes = false;
  spec.changes_session = changes;
  return spec;
}

inline ToolOutcome refuse(std::string why) {
  return ToolOutcome::error(ToolStatus::kToolError, std::move(why));
}

// "there is no artifact 'x' in this session".
inline ToolOutcome refuse_unknown(std::string_view what, std::string_view id) {
  constexpr std::size_t kShownIdBytesMax = 80;
  return refuse("there is no " + std::string(what) + " '" + std::string(utf8_prefix(id, kShownIdBytesMax)) +
                "' in this session");
}

inline ToolOutcome refuse_blank(std::string_view argument) {
  return ToolOutcome::error(ToolStatus::kInvalidArguments, std::string(argument) + ": must not be blank");
}

inline ToolOutcome refuse_long(std::string_view argument, std::size_t bytes, std::size_t bytes_max) {
  return refuse(std::string(argument) + ": has " + std::to_string(bytes) + " bytes; at most " +
                std::to_string(bytes_max) + " are allowed");
}

}  // namespace braidlog::tool
