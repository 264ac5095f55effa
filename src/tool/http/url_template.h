// The address of an HTTP tool, with places for arguments:
//
//   https://shop.example/orders/{id}/lines?since={since}
//
// An argument is data and stays data: it stands in a segment of the path or in the query, percent-encoded, and cannot
// become a host, another segment, another parameter or a step upwards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace braidlog::tool {

// Immutable and thread-safe.
class UrlTemplate {
 public:
  // kBadField with words that follow "url: ".
  static Result<UrlTemplate> parse(std::string_view text);

  // Of its arguments, each once, in their order.
  const std::vector<std::string>& names() const { return names_; }
  const std::string& host() const { return host_; }

  // The URL for these arguments. kToolInvalidArguments, one line that begins with the argument's name.
  Result<std::string> expand(const json::object& args) const;
  bool has_query() const { return has_query_; }

 private:
  struct Piece {
    std::string text;  // as it is, or the name of an argument
    bool is_argument = false;
    bool is_in_path = false;
  };

  UrlTemplate() = default;
  Status split(std::string_view text, std::size_t path_begin);
  Result<std::string> value_of(const Piece& piece, const json::object& args) const;

  std::vector<Piece> pieces_;
  std::vector<std::string> names_;
  std::string host_;
  std::size_t path_begin_ = 0;  // in the expanded URL: scheme and host have no arguments
  bool has_query_ = false;
};

}  // namespace braidlog::tool
