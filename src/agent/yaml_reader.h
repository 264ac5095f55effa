// Strict reading of YAML: every fault becomes one line with its place, and reading goes on, so that a person
// sees all of them at once. yaml-cpp throws on misuse; the caller of a reader catches at its door.
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braidlog::agent {

// The faults of one file, as "support.yaml:12:3: unknown key 'modle'".
class Faults {
 public:
  explicit Faults(std::string_view file_name) : file_name_(file_name) {}
  void add(const YAML::Mark& mark, std::string_view what);
  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return lines_.size(); }
  // One line each, without a line break at the end, in the order of the file.
  std::string text() const;

 private:
  std::string file_name_;
  std::multimap<std::pair<int, int>, std::string> lines_;
};

// A mapping whose keys are taken one by one; what nobody took is unknown. Keys that repeat are faults.
class YamlMap {
 public:
  // Whether the faults of its keys are still to be added, or were when it was read a first time.
  enum class Repeats { kNew, kKnown };
  // `what` names the mapping in faults. Not a mapping: a fault, and every take() gives nothing.
  YamlMap(const YAML::Node& node, std::string_view what, Faults& faults, Repeats repeats = Repeats::kNew);

  std::optional<YAML::Node> take(const std::string& key);
  // The text of a scalar; anything else is a fault. `key` absent: none.
  std::optional<std::string> take_string(const std::string& key);
  // Every key and value that is left, in the order of the file: for mappings whose keys are the user's own names.
  std::vector<std::pair<YAML::Node, YAML::Node>> take_rest();
  // Reports what nobody took, with the nearest known key as a hint.
  void finish();

 private:
  // Never erased or assigned: assigning to a YAML::Node writes through to the document it came from.
  struct Entry {
    YAML::Node key, value;
    bool taken = false;
  };

  std::vector<Entry> entries_;
  std::vector<std::string> known_;
  Faults& faults_;
};

// "did you mean" needs two words to be near: at most two edits, and less than half of the word.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& choices);
// The hint to append to a fault: " (did you mean 'model'?)", or nothing.
std::string hint(std::string_view word, const std::vector<std::string>& choices);

}  // namespace braidlog::agent
