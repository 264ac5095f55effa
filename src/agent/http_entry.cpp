#include "agent/http_entry.h"

#include <utility>

#include "agent/object_schema.h"
#include "agent/url_rules.h"
#include "agent/value_reader.h"

namespace braidlog::agent {

namespace {

class HttpEntryReader {
 public:
  HttpEntryReader(const Vocabulary& vocabulary, Faults& faults) : vocabulary_(vocabulary), faults_(faults) {}

  api::HttpTool read(const YAML::Node& node) {
    const std::size_t faults_before = faults_.size();
    YamlMap map(node, "'http'", faults_);
    const auto name = map.take("name");
    const auto description = map.take("description");
    if (auto method = map.take("method")) read_method(*method);
    const auto url = map.take("url");
    const auto parameters = map.take("parameters");
    if (auto headers = map.take("headers")) tool_.headers = read_headers(*headers, vocabulary_.environment, faults_);
    if (auto value = map.take("writes")) tool_.writes = read_boolean(*value, "writes", faults_).value_or(true);
    if (auto value = map.take("idempotent")) {
      tool_.idempotent = read_boolean(*value, "idempotent", faults_).value_or(false);
    }
    if (auto value = map.take("timeout")) tool_.timeout = read_timeout(*value, "timeout", faults_);
    if (auto value = map.take("response_limit")) {
      tool_.response_bytes_max = read_byte_count(*value, "response_limit", faults_);
    }
    if (auto value = map.take("addresses")) tool_.addresses = read_networks(*value, "addresses", faults_);
    map.finish();
    if (!node.IsMap()) return {};
    read_name(node, name);
    read_description(node, description);
    const ObjectSchema schema =
        parameters ? read_object_schema(*parameters, faults_) : ObjectSchema::without_properties();
    tool_.parameters_json = schema.json;
    if (url) {
      read_url(*url, schema);
    } else {
      fault(node, "'http' needs a 'url'");
    }
    if (faults_.size() == faults_before) ask_the_maker(node);
    return std::move(tool_);
  }

 private:
  void fault(const YAML::Node& node, std::string_view what) { faults_.add(node.Mark(), what); }

  void read_name(const YAML::Node& node, const std::optional<YAML::Node>& name) {
    if (!name) return fault(node, "'http' needs a 'name'");
    if (!name->IsScalar() || !is_tool_name(name->Scalar())) {
      return fault(*name, "'name' of a tool must be 1 to 64 letters, digits, underscores or hyphens");
    }
    tool_.name = name->Scalar();
  }

  void read_description(const YAML::Node& node, const std::optional<YAML::Node>& description) {
    if (!description) return fault(node, "'http' needs a 'description': it tells the model what the tool is for");
    if (auto text = read_text(*description, "description", faults_)) tool_.description = std::move(*text);
  }

  void read_method(const YAML::Node& node) {
    const std::string method = node.IsScalar() ? node.Scalar() : "";
    if (!contains({"GET", "POST", "PUT", "PATCH", "DELETE"}, method)) {
      return fault(node, "'method' must be GET, POST, PUT, PATCH or DELETE");
    }
    tool_.method = method;
  }

  void read_url(const YAML::Node& node, const ObjectSchema& schema) {
    const std::string url = node.IsScalar() ? node.Scalar() : "";
    const auto places = read_url_template(url);
    if (!places) return fault(node, "'url' " + places.error().message);
    if (schema.is_sound) {
      for (const auto& place : places->path_places) check_place(node, place, schema, true);
      for (const auto& place : places->query_places) check_place(node, place, schema, false);
    }
    tool_.url = url;
  }

  void check_place(const YAML::Node& node, const std::string& place, const ObjectSchema& schema, bool in_path) {
    const auto property = schema.properties.find(place);
    if (property == schema.properties.end()) {
      return fault(node, "'url' has {" + place + "}, which is no property in 'parameters'" +
                             hint(place, schema.property_names()));
    }
    if (property->second == "object" || property->second == "array") {
      return fault(node, "'url' has {" + place + "}, which is an " + property->second + " in 'parameters'");
    }
    // Without it the request would go to another resource: to all orders instead of one.
    if (in_path && !contains(schema.required, place)) {
      fault(node, "'url' has {" + place + "} in its path: 'parameters' must have it in 'required'");
    }
  }

  void ask_the_maker(const YAML::Node& node) {
    if (!vocabulary_.check_http_tool) return;
    if (auto good = vocabulary_.check_http_tool(tool_); !good)
      fault(node, "tool '" + tool_.name + "': " + good.error().message);
  }

  const Vocabulary& vocabulary_;
  Faults& faults_;
  api::HttpTool tool_;
};

}  // namespace

api::HttpTool read_http_tool(const YAML::Node& node, const Vocabulary& vocabulary, Faults& faults) {
  return HttpEntryReader(vocabulary, faults).read(node);
}

}  // namespace braidlog::agent
