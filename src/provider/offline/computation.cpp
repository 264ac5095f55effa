#include "provider/offline/computation.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "provider/offline/manner.h"
#include "provider/offline/phrases.h"
#include "provider/offline/question_text.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kAskBytesMax = 500;  // of a question; a longer text is none

// ---- the user's own code ----

// Every fenced block of the message.
std::vector<std::string> fenced_blocks(std::string_view text) {
  std::vector<std::string> blocks;
  for (std::size_t open = text.find("```"); open != std::string_view::npos; open = text.find("```", open)) {
    const std::size_t begin = text.find('\n', open);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find("\n```", begin);
    const std::string_view block =
        text.substr(begin + 1, end == std::string_view::npos ? end : std::max(end, begin + 1) - begin - 1);
    if (!trim(block).empty()) blocks.emplace_back(block);
    if (end == std::string_view::npos) break;
    open = end + 4;
  }
  return blocks;
}

std::optional<std::string> code_after_order(std::string_view ask) {
  const std::string_view text = trim(ask);
  const std::string lower = to_lower(text.substr(0, 64));
  for (const std::string_view order : {"run python:", "run this python:", "run this code:", "run the code:",
                                       "run code:", "execute python:", "execute this code:", "run:", "python:"}) {
    if (!lower.starts_with(order)) continue;
    std::string_view code = text.substr(order.size());
    while (code.starts_with(' ')) code.remove_prefix(1);
    code = code.substr(std::min(code.find_first_not_of("\r\n"), code.size()));
    if (trim(code).empty()) return std::nullopt;
    return std::string(code);
  }
  return std::nullopt;
}

std::optional<Computation> given_code(const std::string& ask) {
  auto blocks = fenced_blocks(ask);
  if (blocks.empty()) {
    auto code = code_after_order(ask);
    if (!code) return std::nullopt;
    blocks.push_back(std::move(*code));
  }
  Computation computation;
  computation.what = "what your code gives";
  computation.lead = "Your code gave:\n\n";
  computation.quotes = true;
  computation.is_given = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string which = blocks.size() == 1 ? "your code" : "block " + std::to_string(i + 1) + " of your code";
    computation.steps.push_back({"I run " + which + ".", std::move(blocks[i]), ""});
  }
  return computation;
}

// ---- functions of the agent ----

std::optional<Computation> clock_computation(const Situation& situation) {
  if (!situation.has_function("current_datetime") || !asks_for_time(situation.ask)) return std::nullopt;
  const std::string offset = offset_asked_for(situation.ask);
  const std::string argument = offset.empty() ? "" : "timezone=" + python_string(offset);
  Computation computation;
  computation.what = "the date and time";
  computation.steps = {
      {"I look at the clock.",
       "now = current_datetime(" + argument + ")\nresult = now[\"datetime\"] + \", \" + now[\"weekday\"]", "result"}};
  computation.lead = "The clock says ";
  computation.tail = ".";
  return computation;
}

std::optional<Computation> file_list_computation(const Situation& situation) {
  if (!situation.has_function("file_list") || !asks_for_file_list(situation.ask)) return std::nullopt;
  Computation computation;
  computation.what = "the list of files";
  computation.steps = {
      {"I ask for the list of files.",
       "files = file_list()\nfor file in files:\n    print(file[\"path\"], file[\"size\"], \"bytes\")\n"
       "result = f\"{len(files)} files\"",
       "result"}};
  computation.lead = "This is what file_list gave me:\n\n";
  computation.quotes = true;
  return computation;
}

// "read notes.md", "how many words are in notes.md".
std::optional<Computation> file_computation(const Situation& situation) {
  if (!situation.has_function("file_read")) return std::nullopt;
  const auto words = split_words(std::string_view(situation.ask).substr(0, kAskBytesMax));
  const auto name = std::find_if(words.begin(), words.end(), looks_like_file);
  if (name == words.end()) return std::nullopt;
  const std::string lower = to_lower(situation.ask);
  const std::string read = "text = file_read(path=" + python_string(name->text) + ")";
  Computation computation;
  if (situation.has_function("file_list")) {
    computation.fallback = "for file in file_list():\n    print(file[\"path\"])";
  }
  if (has_phrase(lower, {"how many", "count"})) {
    const bool lines = has_phrase(lower, {"lines"}), characters = has_phrase(lower, {"characters", "letters"});
    const std::string unit = lines ? "lines" : characters ? "characters" : "words";
    const std::string count = lines ? "len(text.splitlines())" : characters ? "len(text)" : "len(text.split())";
    computation.what = "the number of " + unit + " in " + name->text;
    computation.steps = {{"I read " + name->text + ".", read, "text[:200]"},
                         {"I count the " + unit + ".", "result = " + count, "result"}};
    computation.again = count;
    computation.lead = name->text + " has ";
    computation.tail = " " + unit + ".";
    return computation;
  }
  if (!has_phrase(lower, {"read", "show", "open", "display", "print", "quote"})) return std::nullopt;
  computation.what = "the text of " + name->text;
  computation.steps = {{"I read " + name->text + ".", read + "\nresult = text", "result"}};
  computation.lead = "This is what file_read gave me for " + name->text + ":\n\n";
  computation.quotes = true;
  return computation;
}

}  // namespace

std::optional<Computation> computation_in(const Situation& situation) {
  if (auto given = given_code(situation.ask)) return given;
  Situation plain = situation;
  plain.ask = without_manner(situation.ask);
  if (plain.ask.size() > kAskBytesMax) return std::nullopt;
  if (situation.purpose != TurnPurpose::kAnswer) plain.functions = {"current_datetime", "file_read", "file_list"};
  if (auto found = text_computation(plain.ask)) return found;
  if (auto found = number_computation(to_lower(plain.ask))) return found;
  if (auto found = expression_computation(plain.ask)) return found;
  if (auto found = file_list_computation(plain)) return found;
  if (auto found = file_computation(plain)) return found;
  return clock_computation(plain);
}

std::string whole_program(const Computation& computation) {
  std::string code;
  for (const auto& step : computation.steps) code += (code.empty() ? "" : "\n") + step.code;
  if (!computation.steps.back().shows.empty()) code += "\nprint(" + computation.steps.back().shows + ")";
  return code;
}

std::string python_string(std::string_view text) {
  // What JSON writes is a string of Python too: it escapes with \u and never with \/.
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace braidlog::provider
