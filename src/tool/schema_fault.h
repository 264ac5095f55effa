// Why a value does not fit a schema, in words. Covers what tool schemas use (type, required,
// additionalProperties, enum, lengths, bounds, properties and items); it explains, it does not judge: an
// empty list means only that the fault is of another kind.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace braidlog::tool {

// One line per fault, "place: what is wrong". `schema` need not be a sound schema.
std::vector<std::string> find_faults(const json::value& schema, const json::value& value);

}  // namespace braidlog::tool
