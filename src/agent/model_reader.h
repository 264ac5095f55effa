// `model:` of an agent file.
#pragma once

#include "agent/parser.h"
#include "agent/yaml_reader.h"
#include "api/agent.h"

namespace braidlog::agent {

api::ModelSpec read_model(const YAML::Node& node, const Vocabulary& vocabulary, Faults& faults);

}  // namespace braidlog::agent
