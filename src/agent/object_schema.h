// The JSON schema of a tool's arguments, as an agent file has it: that of an object, written in YAML.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/yaml_reader.h"

namespace braidlog::agent {

struct ObjectSchema {
  std::string json{};
  std::map<std::string, std::string> properties{};  // with their types; empty: none stated, or several
  std::vector<std::string> required{};
  bool is_sound = true;  // false: it had faults, so what else is said of its properties need not be judged

  static ObjectSchema without_properties();
  std::vector<std::string> property_names() const;
};

// What is read here is its shape at the top, with the lines of the faults; whether all of it is a schema is for the
// maker of the tool to say.
ObjectSchema read_object_schema(const YAML::Node& node, Faults& faults);

}  // namespace braidlog::agent
