// Values of the environment that a tool sends along. A server that gives them back, in an error or an echo, would hand
// them to the model and to every viewer of the run; so they are taken out of all that it says.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"

namespace braidlog::tool {

// Immutable once its headers are expanded, and then thread-safe.
class Secrets {
 public:
  // `text` with its variables, each of whose values is kept from then on. kBadField as expand_variables().
  Result<std::string> expand(std::string_view text, const Environment& environment);
  // Each of the values, as it is and as it stands in JSON and in a URL, becomes "[secret]". Values shorter than four
  // characters are let be: they are part of other words.
  std::string removed_from(std::string text) const;

 private:
  void keep(const std::string& value);

  std::vector<std::string> spellings_;  // the longest first
};

}  // namespace braidlog::tool
