// JSON-RPC 2.0 as MCP uses it: texts to messages and back. Pure.
//
// What comes from a server is read strictly as JSON and leniently as JSON-RPC: a missing "jsonrpc" does no harm, and an
// array is a batch, which one revision of the protocol had.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace braidlog::tool::mcp {

inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;

struct RpcError {
  std::int64_t code = 0;
  std::string message;  // of any length
  json::value data;
};

struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResult, kError };

  Kind kind = Kind::kNotification;
  json::value id;      // of a request: whatever the server chose; of an answer: what we chose; null where there is none
  std::string method;  // of a request or a notification
  json::object params;
  json::value result;
  RpcError error;

  // Of an answer: the number of our request; 0 when it is none of ours.
  std::int64_t answered() const;
};

// What a batch may ask of us; there is nothing that a server needs to ask so often.
inline constexpr std::size_t kRequestsPerBatchMax = 100;

// Without the requests of a batch that are over the limit. kMalformed: not JSON, or no message.
Result<std::vector<RpcMessage>> read_messages(std::string_view text);

// Which request a message answers that is too large or too odd to be read: an id that stands as the first or the last
// member but for "jsonrpc", which is where servers put it. `head` and `tail` are the text's ends, or both all of it.
std::optional<std::int64_t> guess_answered(std::string_view head, std::string_view tail);

// Each in one line, without its end.
std::string request_text(std::int64_t id, std::string_view method, const json::object& params);
std::string notification_text(std::string_view method, const json::object& params);
std::string result_text(const json::value& id, const json::object& result);
std::string error_text(const json::value& id, std::int64_t code, std::string_view message);

// Members of values from outside; nothing where there is no such member or it is of another type.
std::string string_member(const json::object& object, std::string_view name);
const json::object* object_member(const json::object& object, std::string_view name);
const json::array* array_member(const json::object& object, std::string_view name);
bool true_member(const json::object& object, std::string_view name);
// A whole number, also one written as 5.0.
std::optional<std::int64_t> integer_of(const json::value& value);

}  // namespace braidlog::tool::mcp
