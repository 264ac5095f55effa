#include "tool/http/http_tool.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "tool/call.h"
#include "tool/http/http_answer.h"
#include "tool/http/request_headers.h"
#include "tool/http/response_collector.h"
#include "tool/http/secrets.h"
#include "tool/http/url_template.h"
#include "tool/schema.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kUrlBytesMax = 8 * 1024;  // more than most servers take
constexpr std::size_t kNameBytesMax = 64;       // of a tool, by the rules of the model providers

tl::unexpected<Error> bad(std::string_view field, const std::string& what) {
  return fail(ErrorCode::kBadField, std::string(field) + ": " + what);
}

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::optional<Method> method_of(std::string_view name) {
  for (const Method method : {Method::kGet, Method::kPost, Method::kPut, Method::kPatch, Method::kDelete}) {
    if (name_of(method) == name) return method;
  }
  return std::nullopt;
}

bool has_body(Method method) {
  return method != Method::kGet && method != Method::kDelete;
}

// What a person approved was this request. The operator's own file is no adversary: a slip is to be noticed.
std::string version_of(const api::HttpTool& tool) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto* part : {&tool.name, &tool.description, &tool.method, &tool.url, &tool.parameters_json}) {
    for (const char c : *part + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += kHex[hash >> shift & 15];
  return out;
}

// `text` as a value of the query; lists are the same parameter again and again.
void append_parameter(std::string& query, std::string_view name, const json::value& value) {
  if (value.is_null()) return;
  if (const auto* list = value.if_array()) {
    for (const auto& item : *list) append_parameter(query, name, item.is_array() ? json::value(to_json(item)) : item);
    return;
  }
  if (!query.empty()) query += '&';
  query += percent_encode(name) + '=';
  query += percent_encode(value.is_string() ? std::string_view(value.get_string()) : std::string_view(to_json(value)));
}

// Everything about the tool that does not change. Immutable; shared with its calls.
struct Recipe {
  Method method;
  UrlTemplate url;
  std::vector<HttpHeader> headers;
  Secrets secrets;
  OutboundRulesPtr rules;
  std::size_t response_bytes_max;
  bool writes;
};
using RecipePtr = std::shared_ptr<const Recipe>;

class HttpToolRun final : public ToolRun {
 public:
  HttpToolRun(HttpClient& client, OutgoingRequest request, std::size_t bytes_max, ResponseCollector::Done done)
      : collector_(client, std::move(request), bytes_max, std::move(done)) {}

 private:
  ResponseCollector collector_;
};

class RequestTool final : public Tool {
 public:
  RequestTool(ToolSpec spec, Schema schema, RecipePtr recipe, HttpClients& clients)
      : spec_(std::move(spec)), schema_(std::move(schema)), recipe_(std::move(recipe)), clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }
  Status check(const json::value& args) const override;
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  Result<std::string> url_for(const json::object& args) const;
  json::object left_over(const json::object& args) const;

  const ToolSpec spec_;
  const Schema schema_;
  const RecipePtr recipe_;
  HttpClients& clients_;
};

// Also what the schema may not say: a call whose address cannot be made is never shown to anybody for approval.
Status RequestTool::check(const json::value& args) const {
  if (auto fits = schema_.check(args); !fits) return fits;
  if (!args.is_object()) return fail(ErrorCode::kToolInvalidArguments, "arguments: expected object");
  return url_for(args.get_object()).map([](const std::string&) {});
}

json::object RequestTool::left_over(const json::object& args) const {
  json::object out = args;
  for (const auto& name : recipe_->url.names()) out.stable_erase(name);
  return out;
}

Result<std::string> RequestTool::url_for(const json::object& args) const {
  auto url = recipe_->url.expand(args);
  if (!url) return url;
  if (!has_body(recipe_->method)) {
    std::string query;
    for (const auto& [name, value] : left_over(args)) append_parameter(query, name, value);
    if (!query.empty()) *url += (recipe_->url.has_query() ? '&' : '?') + query;
  }
  if (url->size() > kUrlBytesMax) {
    return fail(ErrorCode::kToolInvalidArguments, "arguments: too long for the address of a request");
  }
  return url;
}

std::unique_ptr<ToolRun> RequestTool::start(ToolInvocation invocation, Loop& loop,
                                            UniqueFunction<void(ToolOutcome)> done) {
  const auto& args = invocation.args.get_object();
  auto url = url_for(args);
  if (!url) {
    return answer_later(loop, ToolOutcome::error(ToolStatus::kInvalidArguments, url.error().message), std::move(done));
  }
  OutgoingRequest request;
  request.method = recipe_->method;
  request.url = std::move(*url);
  request.headers = recipe_->headers;
  request.rules = recipe_->rules;
  if (has_body(recipe_->method)) request.body = to_json(left_over(args));
  if (spec_.writes) {
    request.headers.push_back(
        {"Idempotency-Key", to_uuid(invocation.run_id.value) + "-" + to_uuid(invocation.call_id.value)});
  }
  return std::make_unique<HttpToolRun>(
      clients_.on(loop), std::move(request), recipe_->response_bytes_max,
      [recipe = recipe_, done = std::move(done)](CollectedResponse response) mutable {
        done(outcome_of(response, recipe->url.host(), recipe->writes, recipe->secrets));
      });
}

// `parameters` as an object's schema, and every argument of the URL among its properties.
Result<Schema> schema_of(const std::string& text, const UrlTemplate& url) {
  auto schema = Schema::compile(text);
  if (!schema) return bad("parameters", schema.error().message);
  const auto document = parse_json(text).value();
  const auto* type = document.get_object().if_contains("type");
  if (type == nullptr || !type->is_string() || type->get_string() != "object") {
    return bad("parameters", "must be a schema of an object (type: object)");
  }
  const auto* properties = document.get_object().if_contains("properties");
  for (const auto& name : url.names()) {
    if (properties == nullptr || !properties->is_object() || !properties->get_object().contains(name)) {
      return bad("url", "the argument {" + name + "} is not among the properties of parameters");
    }
  }
  return schema;
}

}  // namespace

Result<std::shared_ptr<Tool>> make_http_tool(const api::HttpTool& tool, HttpClients& clients, OutboundRulesPtr rules,
                                             const Environment& environment, const Limits& limits) {
  if (!is_tool_name(tool.name)) return bad("name", "must be 1 to 64 letters, digits, hyphens or underscores");
  const auto method = method_of(tool.method);
  if (!method) return bad("method", "must be GET, POST, PUT, PATCH or DELETE");
  auto url = UrlTemplate::parse(tool.url);
  if (!url) return bad("url", url.error().message);

  ToolSpec spec;
  spec.name = tool.name;
  spec.description = tool.description;
  spec.parameters_json = tool.parameters_json.empty() ? R"({"type":"object","properties":{}})" : tool.parameters_json;
  spec.writes = tool.writes;
  spec.idempotent = tool.idempotent;
  spec.timeout = tool.timeout;
  spec.version = version_of(tool);
  auto schema = schema_of(spec.parameters_json, *url);
  if (!schema) return fail(schema.error());

  Secrets secrets;
  auto headers = request_headers(tool.headers, has_body(*method), environment, secrets);
  if (!headers) return fail(headers.error());
  auto own_rules = rules->with(tool.addresses);
  if (!own_rules) return bad("addresses", own_rules.error().message);
  auto recipe = std::make_shared<const Recipe>(
      Recipe{.method = *method,
             .url = std::move(*url),
             .headers = std::move(*headers),
             .secrets = std::move(secrets),
             .rules = std::make_shared<const OutboundRules>(std::move(*own_rules)),
             .response_bytes_max = tool.response_bytes_max.value_or(limits.http_tool_response_bytes_max),
             .writes = tool.writes});
  return std::make_shared<RequestTool>(std::move(spec), std::move(*schema), std::move(recipe), clients);
}

}  // namespace braidlog::tool
