#include "app/routes_command.h"

#include <string_view>
#include <vector>

#include "app/dialects.h"
#include "base/json.h"
#include "server/operations.h"
#include "terminal/columns.h"

namespace braidlog::app {

namespace {

struct Row {
  Route route;
  std::string_view dialect;
};

std::string_view name_of(Access access) {
  switch (access) {
    case Access::kOpen: return "open";
    case Access::kUser: return "user";
    case Access::kCredential: return "credential";
    case Access::kAdmin: return "admin";
  }
  return "";
}

std::string_view name_of(BodyRule body) {
  switch (body) {
    case BodyRule::kNone: return "none";
    case BodyRule::kJson: return "json";
    case BodyRule::kUpload: return "upload";
    case BodyRule::kFiles: return "files";
  }
  return "";
}

std::vector<Row> all_routes() {
  std::vector<Row> rows;
  for (const auto& served : Operations::served()) {
    rows.push_back({Route{.method = Method::kGet, .pattern = served.path, .access = served.access}, "operations"});
  }
  const Dialects dialects{Limits{}};
  for (const Dialect* dialect : dialects.list()) {
    for (const Route& route : dialect->routes()) rows.push_back({route, dialect->name()});
  }
  return rows;
}

std::string as_json(const std::vector<Row>& rows) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().key("routes").begin_array();
  for (const auto& [route, dialect] : rows) {
    w.begin_object().key("method").string(braidlog::name_of(route.method)).key("path").string(route.pattern);
    w.key("access").string(name_of(route.access)).key("dialect").string(dialect);
    w.key("body").string(name_of(route.body)).key("streams").boolean(route.streams);
    w.key("starts_run").boolean(route.starts_run).end_object();
  }
  w.end_array().end_object();
  return out + "\n";
}

}  // namespace

std::string routes_document(bool json) {
  const auto rows = all_routes();
  if (json) return as_json(rows);
  std::vector<std::vector<std::string>> table{{"METHOD", "PATH", "ACCESS", "DIALECT", "BODY", "STREAMS", "STARTS RUN"}};
  for (const auto& [route, dialect] : rows) {
    table.push_back({std::string(braidlog::name_of(route.method)), std::string(route.pattern),
                     std::string(name_of(route.access)), std::string(dialect), std::string(name_of(route.body)),
                     route.streams ? "yes" : "no", route.starts_run ? "yes" : "no"});
  }
  return terminal::text_table(table);
}

}  // namespace braidlog::app
