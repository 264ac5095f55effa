// The kinds of values in an agent file. Each function gives what the node says, or adds a fault that calls it `what`
// and gives nothing.
#pragma once

#include <yaml-cpp/yaml.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/yaml_reader.h"
#include "base/environment.h"

namespace braidlog::agent {

bool contains(const std::vector<std::string>& list, std::string_view word);
// "a, b, c".
std::string listed(const std::vector<std::string>& words);

// Letters, digits, underscore and hyphen, 1 to `bytes_max` of them: what every provider takes as the name of a tool.
bool is_tool_name(std::string_view name, std::size_t bytes_max = 64);
bool is_variable_name(std::string_view name);

// Without a fault: the caller knows the range.
std::optional<unsigned> whole_number(const YAML::Node& node);

std::optional<std::string> read_text(const YAML::Node& node, std::string_view what, Faults& faults);
// `true` or `false`, unquoted.
std::optional<bool> read_boolean(const YAML::Node& node, std::string_view what, Faults& faults);
std::optional<std::chrono::milliseconds> read_duration(const YAML::Node& node, std::string_view what, Faults& faults);
// A duration that is not 0.
std::optional<std::chrono::milliseconds> read_timeout(const YAML::Node& node, std::string_view what, Faults& faults);
// "4096", "500KB", "1MB", "1MiB"; from 1 to 16 MiB.
std::optional<std::size_t> read_byte_count(const YAML::Node& node, std::string_view what, Faults& faults);

// A list of texts that are not empty; each stands there once.
std::vector<std::string> read_texts(const YAML::Node& node, std::string_view what, Faults& faults);
// Networks or addresses: "127.0.0.0/8", "10.1.2.3".
std::vector<std::string> read_networks(const YAML::Node& node, std::string_view what, Faults& faults);
// The names of variables; with an `environment`, one that is not set is a fault. A value that is written here by
// mistake is not repeated.
std::vector<std::string> read_variable_names(const YAML::Node& node, std::string_view what,
                                             const Environment& environment, Faults& faults);
// Request headers, ${NAME} in their values not yet replaced. Faults never repeat a value.
std::map<std::string, std::string> read_headers(const YAML::Node& node, const Environment& environment, Faults& faults);

}  // namespace braidlog::agent
