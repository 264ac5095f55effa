// Variables of the process's environment, behind a function so that tests bring their own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braidlog {

// The value of an environment variable; none when it is not set, or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> process_environment(const std::string& name);

// `text` with each ${NAME} replaced by the variable's value; $${ stands for ${ itself. kBadField: a variable that is
// not set, by its name, or a ${ without its end. The message never holds a value.
Result<std::string> expand_variables(std::string_view text, const Environment& environment);

}  // namespace braidlog
