// The rules that work on the files of the workspace.
#include <algorithm>

#include "base/json.h"
#include "provider/offline/file_text.h"
#include "provider/offline/phrases.h"
#include "provider/offline/question_text.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kFilesMax = 8;
constexpr std::size_t kReasonBytesMax = 200;

// What the user wants written, and where.
struct WriteWish {
  std::vector<std::string> names;
  std::string what;                  // "a haiku about rivers"
  std::optional<std::string> exact;  // what stood in quotes
};

bool is_write_verb(const std::string& word) {
  return is_one_of(word, {"write", "save", "create", "put", "store", "draft"});
}

bool leads_to_name(const Word& word) {
  return is_write_verb(word.lower) ||
         is_one_of(word.lower, {"to", "into", "in", "as", "called", "named", "file", "files"});
}

// The names that begin at words[at], with "and" and "to" between them; `at` ends behind the last one.
std::vector<std::string> take_names(const std::vector<Word>& words, std::size_t& at) {
  std::vector<std::string> names;
  std::size_t next = at;
  while (next < words.size() && names.size() < kFilesMax) {
    if (looks_like_file(words[next])) {
      if (std::find(names.begin(), names.end(), words[next].text) == names.end()) names.push_back(words[next].text);
      at = ++next;
    } else if (is_one_of(words[next].lower, {"and", "to", "&", "also"})) {
      ++next;
    } else {
      break;
    }
  }
  return names;
}

std::optional<WriteWish> read_write_wish(const std::string& ask) {
  const auto words = split_words(ask);
  std::size_t verb = 0;
  while (verb < words.size() && (words[verb].quoted || !is_write_verb(words[verb].lower))) ++verb;
  for (std::size_t i = verb; i + 1 < words.size(); ++i) {
    if (words[i].quoted || !leads_to_name(words[i]) || !looks_like_file(words[i + 1])) continue;
    WriteWish wish;
    std::size_t after = i + 1;
    wish.names = take_names(words, after);
    const std::size_t begin = words[verb].end;
    std::string_view what = i > verb ? trim(std::string_view(ask).substr(begin, words[i].begin - begin)) : "";
    std::size_t single = verb + 1;  // the only word of `what`, if it has one alone
    if (what.empty() || is_one_of(to_lower(what), {"a", "a file", "the file", "file", "files", "the"})) {
      what = after < words.size() ? trim(std::string_view(ask).substr(words[after].begin)) : "";
      for (const std::string_view lead : {"with ", "containing ", "saying "}) {
        if (to_lower(what).starts_with(lead)) what = trim(what.substr(lead.size()));
      }
      single = words.size() - 1;
    }
    if (single < words.size() && words[single].quoted && words[single].end - words[single].begin == what.size()) {
      wish.exact = words[single].text;
    }
    wish.what = what;
    return wish;
  }
  return std::nullopt;
}

std::string reason_of(const PastCall& call) {
  return call.result ? shorten(*call.result, kReasonBytesMax) : "no result came back";
}

Answer report_writes(const std::vector<PastCall>& calls) {
  std::vector<std::string> done;
  std::string refused;
  for (const auto& call : calls) {
    const std::string name = call.argument("path");
    if (call.result && call.result->starts_with("Successfully wrote ")) {
      done.push_back(name);
    } else {
      refused += (refused.empty() ? "" : "\n") + ("I did not create " + name) + ": " + reason_of(call);
    }
  }
  if (refused.empty()) return say("Done. I created " + join_names(done));
  if (done.empty()) return say(refused);
  return say("I created " + join_names(done) + "\n" + refused);
}

Answer call_tool(std::string text, std::string_view tool, const std::string& args) {
  return Answer{.pieces = {Say{std::move(text)}, CallTool{std::string(tool), args}}};
}

}  // namespace

std::optional<Answer> write_files(const Situation& situation) {
  const auto wish = read_write_wish(situation.ask);
  if (!wish) return std::nullopt;
  const auto calls = situation.calls_of("file_write");
  if (!calls.empty()) return report_writes(calls);
  if (!situation.offers("file_write")) return std::nullopt;

  const std::string what = wish->what.empty() ? "a text" : shorten(wish->what, kReasonBytesMax);
  Answer answer = say("I will write " + what + " to " + join_names(wish->names) + ".");
  for (const auto& name : wish->names) {
    std::string args;
    JsonWriter(args)
        .begin_object()
        .key("path")
        .string(name)
        .key("content")
        .string(wish->exact ? *wish->exact : compose_file_text(wish->what, name))
        .end_object();
    answer.pieces.push_back(CallTool{"file_write", std::move(args)});
  }
  return answer;
}

std::optional<Answer> rename_file(const Situation& situation) {
  const auto words = split_words(situation.ask);
  std::size_t verb = 0;
  while (verb < words.size() && !is_one_of(words[verb].lower, {"rename", "move"})) ++verb;
  std::size_t to = verb;
  while (to < words.size() && !is_one_of(words[to].lower, {"to", "into", "as"})) ++to;
  if (to + 1 >= words.size() || to < verb + 2) return std::nullopt;
  const Word& from = words[to - 1];
  const Word& target = words[to + 1];
  if (!looks_like_file(from) || !looks_like_file(target)) return std::nullopt;

  const auto calls = situation.calls_of("file_rename");
  if (!calls.empty()) {
    const PastCall& call = calls.back();
    if (call.result && call.result->starts_with("Renamed ")) {
      return say("Done. I renamed " + from.text + " to " + target.text);
    }
    return say("I did not rename " + from.text + ": " + reason_of(call));
  }
  if (!situation.offers("file_rename")) return std::nullopt;
  std::string args;
  JsonWriter(args).begin_object().key("from").string(from.text).key("to").string(target.text).end_object();
  return call_tool("I will rename " + from.text + " to " + target.text + ".", "file_rename", args);
}

std::optional<Answer> read_file(const Situation& situation) {
  const auto words = split_words(situation.ask);
  std::size_t verb = 0;
  while (verb < words.size() && !is_one_of(words[verb].lower, {"read", "show", "open", "display", "print", "quote"})) {
    ++verb;
  }
  std::size_t name = verb;
  while (name < words.size() && !looks_like_file(words[name])) ++name;
  if (name >= words.size()) return std::nullopt;
  const std::string& path = words[name].text;

  const auto calls = situation.calls_of("file_read");
  if (!calls.empty()) {
    if (!calls.back().result) return say("I did not read " + path + ": " + reason_of(calls.back()));
    return say("This is what file_read gave me for " + path + ":\n\n" + quote(*calls.back().result));
  }
  if (!situation.offers("file_read")) return std::nullopt;
  std::string args;
  JsonWriter(args).begin_object().key("path").string(path).end_object();
  return call_tool("I will read " + path + ".", "file_read", args);
}

std::optional<Answer> list_files(const Situation& situation) {
  if (!asks_for_file_list(situation.ask)) return std::nullopt;
  const auto calls = situation.calls_of("file_list");
  if (!calls.empty()) {
    if (!calls.back().result) return say("I could not list the files: " + reason_of(calls.back()));
    return say("This is what file_list gave me:\n\n" + quote(*calls.back().result));
  }
  if (!situation.offers("file_list")) return std::nullopt;
  return call_tool("I will list the files.", "file_list", "{}");
}

}  // namespace braidlog::provider
