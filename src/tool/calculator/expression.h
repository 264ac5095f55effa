// Arithmetic as people write it:
//
//   sum     = product { ("+" | "-") product }
//   product = signed { ("*" | "/" | "%") signed }
//   signed  = { "+" | "-" } power
//   power   = atom [ "^" signed ]                    right to left; -2^2 is -4
//   atom    = number | "(" sum ")" | "pi" | "e" | name "(" sum { "," sum } ")"
//   name    = sqrt abs round floor ceil ln log exp sin cos tan min max
//
// Names in either case; log is to the base of ten; angles in radians. At most 1,000 bytes and 64 levels deep.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braidlog::tool {

// A finite number. kToolFailed with words for the model: what is wrong and where, division by zero, no real
// result.
Result<double> evaluate(std::string_view expression);

// Whole numbers without a point, others with up to 15 digits.
std::string format_number(double value);

}  // namespace braidlog::tool
