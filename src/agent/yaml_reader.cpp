#include "agent/yaml_reader.h"

#include <algorithm>
#include <set>
#include <utility>

namespace braidlog::agent {

namespace {

// Levenshtein's distance; both words are short.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// A word of the file inside a one-line message.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return out;
}

}  // namespace

void Faults::add(const YAML::Mark& mark, std::string_view what) {
  const int line = mark.is_null() ? 1 : mark.line + 1;
  const int column = mark.is_null() ? 1 : mark.column + 1;
  lines_.emplace(std::make_pair(line, column),
                 file_name_ + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + std::string(what));
}

std::string Faults::text() const {
  std::string out;
  for (const auto& [place, line] : lines_) {
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

YamlMap::YamlMap(const YAML::Node& node, std::string_view what, Faults& faults, Repeats repeats) : faults_(faults) {
  if (!node.IsMap()) {
    faults.add(node.Mark(), std::string(what) + " must be a mapping");
    return;
  }
  std::set<std::string> seen;
  const auto fault = [&](const YAML::Node& key, const std::string& said) {
    if (repeats == Repeats::kNew) faults.add(key.Mark(), said);
  };
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      fault(entry.first, "a key must be a plain word");
    } else if (!seen.insert(entry.first.Scalar()).second) {
      fault(entry.first, "key '" + shown(entry.first.Scalar()) + "' is there twice");
    } else {
      entries_.push_back({entry.first, entry.second});
    }
  }
}

std::optional<YAML::Node> YamlMap::take(const std::string& key) {
  known_.push_back(key);
  for (auto& entry : entries_) {
    if (entry.taken || entry.key.Scalar() != key) continue;
    entry.taken = true;
    return entry.value;
  }
  return std::nullopt;
}

std::optional<std::string> YamlMap::take_string(const std::string& key) {
  const auto node = take(key);
  if (!node) return std::nullopt;
  if (node->IsScalar()) return node->Scalar();
  faults_.add(node->Mark(), "'" + key + "' must be a text");
  return std::nullopt;
}

std::vector<std::pair<YAML::Node, YAML::Node>> YamlMap::take_rest() {
  std::vector<std::pair<YAML::Node, YAML::Node>> rest;
  for (auto& entry : entries_) {
    if (!std::exchange(entry.taken, true)) rest.emplace_back(entry.key, entry.value);
  }
  return rest;
}

void YamlMap::finish() {
  for (const auto& [key, value] : take_rest()) {
    faults_.add(key.Mark(), "unknown key '" + shown(key.Scalar()) + "'" + hint(key.Scalar(), known_));
  }
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& choices) {
  if (word.size() > 40) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = 3;
  for (const auto& choice : choices) {
    const std::size_t edits = distance(word, choice);
    if (edits < best_distance && edits * 2 < choice.size()) {
      best = choice;
      best_distance = edits;
    }
  }
  return best;
}

std::string hint(std::string_view word, const std::vector<std::string>& choices) {
  const auto found = nearest(word, choices);
  return found ? " (did you mean '" + *found + "'?)" : std::string();
}

}  // namespace braidlog::agent
