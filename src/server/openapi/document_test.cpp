// The document against the tables that the server answers by, both ways: no route without a description, no
// description without a route, and of each the same access, body and kind of answer.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/version.h"
#include "dialect/all/routes.h"
#include "dialect/chat/routes.h"
#include "dialect/console/routes.h"
#include "dialect/conversation/routes.h"
#include "dialect/identity/routes.h"
#include "dialect/log/routes.h"
#include "dialect/runs/routes.h"
#include "dialect/sessions/routes.h"
#include "dialect/steps/routes.h"
#include "dialect/tasks/routes.h"
#include "server/embedded_texts.h"
#include "server/operations.h"

namespace braidlog {
namespace {

// What can be said of a route in the words of the document.
struct Described {
  std::string access;
  std::string body;
  bool streams = false;
  bool operator==(const Described&) const = default;
};
void PrintTo(const Described& d, std::ostream* out) {
  *out << d.access << ", body " << d.body << (d.streams ? ", streams" : ", answers");
}
using Routes = std::map<std::string, Described>;  // "GET /runs/{}" -> …

std::string name_of(Access access) {
  switch (access) {
    case Access::kOpen: return "open";
    case Access::kUser: return "user";
    case Access::kCredential: return "credential";
    case Access::kAdmin: return "admin";
  }
  return "";
}

std::string name_of(BodyRule body) {
  switch (body) {
    case BodyRule::kNone: return "none";
    case BodyRule::kJson: return "application/json";
    case BodyRule::kUpload: return "multipart/form-data";
    case BodyRule::kFiles: return "application/json multipart/form-data";
  }
  return "";
}

void add(Routes& routes, const Route& route) {
  std::string pattern(route.pattern);
  if (const auto rest = pattern.find("{*}"); rest != std::string::npos) pattern.replace(rest, 3, "{}");
  const Described described{name_of(route.access), name_of(route.body), route.streams};
  routes[std::string(braidlog::name_of(route.method)) + " " + pattern] = described;
  // As the route table has it.
  if (route.method == Method::kGet && !route.streams) routes["HEAD " + pattern] = described;
}

Routes served_routes() {
  const RunsDialect runs;
  const ConversationDialect conversation;
  const ChatDialect chat;
  const StepsDialect steps;
  const TasksDialect tasks;
  const SessionsDialect sessions;
  const IdentityDialect identity;
  const LogDialect log;
  const ConsoleDialect console;
  const Dialect* const contracts[] = {&runs, &conversation, &chat, &steps, &tasks};
  const AllDialect all(contracts);
  Routes routes;
  for (const Dialect* dialect : std::initializer_list<const Dialect*>{&runs, &conversation, &chat, &steps, &tasks,
                                                                      &sessions, &identity, &log, &console, &all}) {
    for (const Route& route : dialect->routes()) add(routes, route);
  }
  for (const auto& served : Operations::served()) {
    add(routes, Route{.method = Method::kGet, .pattern = served.path, .access = served.access});
  }
  return routes;
}

class OpenApiDocument : public ::testing::Test {
 protected:
  void SetUp() override {
    auto parsed = parse_json(openapi_document());
    ASSERT_TRUE(parsed);
    document_ = parsed->as_object();
  }

  const json::object& resolve(const json::value& value) const {
    const json::object* object = &value.as_object();
    while (const json::value* ref = object->if_contains("$ref")) {
      object = &document_.at("components")
                    .as_object()
                    .at(part(ref->as_string(), 2))
                    .as_object()
                    .at(part(ref->as_string(), 3))
                    .as_object();
    }
    return *object;
  }

  Described described(const json::object& operation) const {
    Described out{std::string(operation.at("x-access").as_string()), "none", false};
    if (const json::value* body = operation.if_contains("requestBody")) {
      out.body.clear();
      for (const auto& content : resolve(*body).at("content").as_object()) {
        out.body += (out.body.empty() ? "" : " ") + std::string(content.key());
      }
    }
    for (const auto& [status, response] : operation.at("responses").as_object()) {
      const json::value* content = resolve(response).if_contains("content");
      if (content && content->as_object().contains("text/event-stream")) out.streams = true;
    }
    return out;
  }

  template <class See>
  void for_each_operation(See see) const {
    for (const auto& [path, item] : document_.at("paths").as_object()) {
      for (const auto& [method, operation] : item.as_object()) {
        if (method == "parameters") continue;
        std::string name;
        for (const char c : method) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        see(name, std::string(path), item.as_object(), operation.as_object());
      }
    }
  }

  json::object document_;

 private:
  // "#/components/schemas/Name": the parts count from 0.
  static std::string part(std::string_view ref, int index) {
    for (; index > 0; --index) ref.remove_prefix(ref.find('/') + 1);
    return std::string(ref.substr(0, ref.find('/')));
  }
};

TEST_F(OpenApiDocument, DescribesEveryRouteAndNoOther) {
  Routes routes;
  const std::regex parameter(R"(\{[a-z_]+\})");
  for_each_operation(
      [&](const std::string& method, const std::string& path, const json::object&, const json::object& operation) {
        routes[method + " " + std::regex_replace(path, parameter, "{}")] = described(operation);
      });
  const Routes served = served_routes();
  for (const auto& [route, how] : served) {
    const auto found = routes.find(route);
    if (found == routes.end()) {
      ADD_FAILURE() << route << " is not described";
    } else {
      EXPECT_EQ(found->second, how) << route;
    }
  }
  for (const auto& [route, how] : routes) EXPECT_TRUE(served.contains(route)) << route << " is no route";
}

// Who may call it stands in `security`, as programs read it.
TEST_F(OpenApiDocument, SecurityFollowsAccess) {
  for_each_operation(
      [&](const std::string& method, const std::string& path, const json::object&, const json::object& operation) {
        const auto access = operation.at("x-access").as_string();
        const auto role = access == "admin" ? json::array{"admin"} : json::array{};
        json::array expected;
        if (access != "open") expected = {json::object{{"sessionCookie", role}}, json::object{{"apiKey", role}}};
        EXPECT_EQ(operation.at("security").as_array(), expected) << method << " " << path;
      });
}

TEST_F(OpenApiDocument, EveryPartOfAPathIsAParameter) {
  for_each_operation(
      [&](const std::string& method, const std::string& path, const json::object& item, const json::object& operation) {
        std::set<std::string> named, there;
        const std::regex parameter(R"(\{([a-z_]+)\})");
        for (std::sregex_iterator at(path.begin(), path.end(), parameter), end; at != end; ++at) named.insert((*at)[1]);
        for (const json::object* holder : {&item, &operation}) {
          const json::value* parameters = holder->if_contains("parameters");
          if (parameters == nullptr) continue;
          for (const auto& written : parameters->as_array()) {
            const json::object& found = resolve(written);
            if (found.at("in").as_string() == "path") there.insert(std::string(found.at("name").as_string()));
          }
        }
        EXPECT_EQ(named, there) << method << " " << path;
      });
}

TEST_F(OpenApiDocument, NamesItsOperationsApartAndItself) {
  EXPECT_TRUE(std::string_view(document_.at("openapi").as_string()).starts_with("3.1."));
  EXPECT_EQ(document_.at("info").as_object().at("version").as_string(), kVersion);
  std::set<std::string> ids;
  for_each_operation([&](const std::string&, const std::string&, const json::object&, const json::object& operation) {
    const std::string id(operation.at("operationId").as_string());
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_FALSE(operation.at("summary").as_string().empty()) << id;
    EXPECT_FALSE(operation.at("tags").as_array().empty()) << id;
  });
}

// The page fetches nothing from elsewhere: the policy forbids it, and nothing in it tries.
TEST(DocsPage, NeedsNobodyElse) {
  const std::string page(docs_page()), policy(docs_page_policy());
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos) << "a place was left open";
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(policy.find("http"), std::string::npos);
}

}  // namespace
}  // namespace braidlog
