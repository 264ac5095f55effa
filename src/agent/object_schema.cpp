#include "agent/object_schema.h"

#include <utility>

#include "agent/value_reader.h"
#include "agent/yaml_json.h"

namespace braidlog::agent {

namespace {

class SchemaReader {
 public:
  explicit SchemaReader(Faults& faults) : faults_(faults) {}

  ObjectSchema read(const YAML::Node& node) {
    const std::size_t faults_before = faults_.size();
    const auto json = yaml_to_json(node, faults_);
    if (json && read_top(node)) schema_.json = to_json(*json);
    schema_.is_sound = faults_.size() == faults_before;
    return std::move(schema_);
  }

 private:
  bool read_top(const YAML::Node& node) {
    if (!node.IsMap()) {
      faults_.add(node.Mark(), "'parameters' must be a JSON schema, as in {type: object, properties: {…}}");
      return false;
    }
    YamlMap map(node, "'parameters'", faults_, YamlMap::Repeats::kKnown);
    const auto type = map.take("type");
    if (!type || !type->IsScalar() || type->Scalar() != "object") {
      faults_.add(type ? type->Mark() : node.Mark(),
                  "'parameters' must be the JSON schema of an object: 'type' must be object");
    }
    if (auto properties = map.take("properties")) read_properties(*properties);
    if (auto required = map.take("required")) read_required(*required);
    return true;
  }

  void read_properties(const YAML::Node& node) {
    YamlMap map(node, "'properties'", faults_, YamlMap::Repeats::kKnown);
    for (const auto& [key, value] : map.take_rest()) {
      std::string type;
      if (value.IsMap()) {
        const YAML::Node stated = value["type"];
        if (stated.IsDefined() && stated.IsScalar()) type = stated.Scalar();
      } else if (!value.IsScalar() || (value.Scalar() != "true" && value.Scalar() != "false")) {
        faults_.add(value.IsNull() ? key.Mark() : value.Mark(),
                    "property '" + key.Scalar() + "' must be a schema, as in {type: string}");
      }
      schema_.properties.emplace(key.Scalar(), std::move(type));
    }
  }

  void read_required(const YAML::Node& node) {
    schema_.required = read_texts(node, "required", faults_);
    if (!node.IsSequence()) return;
    for (const auto& item : node) {
      if (!item.IsScalar() || schema_.properties.contains(item.Scalar())) continue;
      faults_.add(item.Mark(), "'required' names '" + item.Scalar() + "', which is not among 'properties'" +
                                   hint(item.Scalar(), schema_.property_names()));
    }
  }

  Faults& faults_;
  ObjectSchema schema_;
};

}  // namespace

ObjectSchema ObjectSchema::without_properties() {
  return {.json = R"({"type":"object","properties":{},"additionalProperties":false})"};
}

std::vector<std::string> ObjectSchema::property_names() const {
  std::vector<std::string> names;
  for (const auto& [name, type] : properties) names.push_back(name);
  return names;
}

ObjectSchema read_object_schema(const YAML::Node& node, Faults& faults) {
  return SchemaReader(faults).read(node);
}

}  // namespace braidlog::agent
