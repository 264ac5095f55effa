// Which handler a request belongs to: the routes of all dialects in one table. Immutable after construction.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dialect/dialect.h"

namespace braidlog {

struct RouteMatch {
  const Route* route = nullptr;
  const Dialect* dialect = nullptr;
  std::vector<std::string> captured;
};

// kUnknownRoute; kMethodNotAllowed with the Allow list as subject; kMalformed for a path that is no text. `dialect`
// is whose shape the answer has; null: the server's own.
struct RouteMiss {
  Error error;
  const Dialect* dialect = nullptr;
};

class RouteTable {
 public:
  explicit RouteTable(std::vector<const Dialect*> dialects);
  // HEAD is answered by a GET route that does not stream.
  std::variant<RouteMatch, RouteMiss> find(Method method, std::string_view path) const;

 private:
  struct Entry {
    const Route* route;
    const Dialect* dialect;
    std::vector<std::string_view> parts;
  };
  const Dialect* owner_of(std::string_view path) const;

  std::vector<const Dialect*> dialects_;
  std::vector<Entry> entries_;
};

}  // namespace braidlog
