// JSON that is written as YAML: the schema of an HTTP tool's arguments.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>

#include "agent/yaml_reader.h"
#include "base/json.h"

namespace braidlog::agent {

// By the core schema of YAML 1.2: null, true, false, 12, 0x1f, 1.5 and so on are what they look like; everything else
// is a text, and so is whatever stands in quotes. Faults: a key that repeats or is no plain word, a tag, a number that
// JSON does not have, more than 32 levels, more than 10,000 values (with what aliases repeat).
std::optional<json::value> yaml_to_json(const YAML::Node& node, Faults& faults);

}  // namespace braidlog::agent
