// `reasoning_details` as OpenRouter streams them: elements in pieces, which must go back whole.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace braidlog::provider {

// The texts in one array of details, for servers that send no reasoning besides it.
std::string text_of_details(std::string_view details_json);

// The pieces put together: neighbours of the same type and index are one element, whose texts follow each other and
// whose other fields are the last that were given. Encrypted ones stand alone. Empty when `elements_json` is no JSON.
json::array joined_details(std::string_view elements_json);

}  // namespace braidlog::provider
