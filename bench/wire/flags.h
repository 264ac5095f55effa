// `--name value` pairs of a command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

class Flags {
 public:
  // What stands after `--` is not read but kept as rest(). A word that is no pair ends the program.
  Flags(int argc, char** argv);

  std::string text(std::string_view name, std::string_view otherwise = "") const;
  std::uint64_t number(std::string_view name, std::uint64_t otherwise = 0) const;
  bool has(std::string_view name) const { return values_.contains(name); }
  const std::vector<char*>& rest() const { return rest_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<char*> rest_;
};

}  // namespace bench
