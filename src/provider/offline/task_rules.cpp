// The rule for a task in hand: what its title asks for is done with tools, and the result says what was done. What it
// writes down is a frame for the user to fill: this model knows no facts, and does not pretend to.
#include <algorithm>
#include <array>

#include "base/json.h"
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"
#include "provider/offline/task_brief.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kTitleBytesMax = 120;
constexpr std::size_t kReasonBytesMax = 300;
constexpr const char* kBuildsOn = " It builds on \"";

// What is done for a kind of task: the tools, one after the other.
struct Recipe {
  std::vector<std::string> tools;
  std::string type;  // of the artifact or data item
};

Recipe recipe_for(const TaskBrief& task) {
  const auto words = split_words(task.title);
  const std::string verb = words.empty() ? "" : words[0].lower;
  if (is_one_of(verb, {"estimate", "calculate", "compute", "budget", "count"})) return {{"calculator"}, ""};
  if (is_one_of(verb, {"schedule", "date", "time"})) return {{"current_datetime", "create_artifact"}, "plan"};
  if (is_one_of(verb, {"summarize", "summarise", "conclude"}))
    return {{"list_artifacts", "create_artifact"}, "summary"};
  if (is_one_of(verb, {"review", "check", "verify", "proofread"})) return {{"list_artifacts", "read_artifact"}, ""};
  if (is_one_of(verb, {"compare", "evaluate", "analyze", "analyse"})) return {{"create_data_item"}, "comparison"};
  if (is_one_of(verb, {"research", "collect", "find", "gather", "investigate"}))
    return {{"create_data_item"}, "finding"};
  if (is_one_of(verb, {"list", "identify", "choose", "name", "select"})) return {{"create_data_item"}, "list"};
  if (is_one_of(verb, {"outline", "define", "plan", "design"})) return {{"create_artifact"}, "plan"};
  if (is_one_of(verb, {"write", "draft", "create", "prepare", "make"})) return {{"create_artifact"}, "document"};
  // Anything else leaves a fact or a note, in turn.
  if (task.earlier.size() % 2 == 0) return {{"create_data_item"}, "fact"};
  return {{"create_artifact"}, "note"};
}

// The recipe with what is on offer; when that is nothing, one tool that is.
Recipe possible_recipe(const TaskBrief& task, const Situation& situation) {
  Recipe recipe = recipe_for(task);
  std::erase_if(recipe.tools, [&](const std::string& tool) { return !situation.offers(tool); });
  if (!recipe.tools.empty()) return recipe;
  for (const char* tool : {"create_artifact", "create_data_item", "calculator", "current_datetime", "file_list"}) {
    if (!situation.offers(tool)) continue;
    recipe.tools = {tool};
    if (recipe.type.empty()) recipe.type = "other";
    break;
  }
  return recipe;
}

// ---- what is handed to the tools ----

std::string topic_of(const TaskBrief& task) {
  const std::size_t space = task.title.find(' ');
  return shorten(space == std::string::npos ? task.title : task.title.substr(space + 1), kTitleBytesMax);
}

// What a result says of the tasks before it; empty for the first one.
std::string on_what_it_builds(const TaskBrief& task) {
  if (task.earlier.empty()) return {};
  const auto done = std::find_if(task.earlier.rbegin(), task.earlier.rend(),
                                 [](const EarlierTask& earlier) { return !earlier.title.ends_with(" (failed)"); });
  if (done == task.earlier.rend()) return " No task before it was done.";
  // What that one built on is left out: a result would grow with every task.
  const std::string own = done->result.substr(0, done->result.find(kBuildsOn));
  return kBuildsOn + shorten(done->title, kTitleBytesMax) + "\": " + first_words(own, 20, 160);
}

std::string artifact_text(const TaskBrief& task) {
  std::string text = "# " + shorten(task.title, kTitleBytesMax) + "\n\n";
  if (!task.description.empty()) text += task.description + "\n\n";
  text += "- What is it about: " + topic_of(task) + "\n- What is known: ";
  text += task.earlier.empty() ? "nothing yet\n" : "the results below\n";
  text += "- What is open: the facts, which the offline model does not know\n";
  if (!task.earlier.empty()) text += "\n## Earlier results\n\n";
  for (const auto& earlier : task.earlier) {
    text += "- " + shorten(earlier.title, kTitleBytesMax) + ": " + first_words(earlier.result, 30, 300) + "\n";
  }
  return text + "\nWritten by Braidlog's built-in offline model.\n";
}

// The first id in a list of artifacts: "ID: NAME (TYPE)".
std::string first_listed(const Situation& situation) {
  const auto lists = situation.calls_of("list_artifacts");
  if (lists.empty() || !lists.back().result) return {};
  const std::string& text = *lists.back().result;
  const std::size_t colon = text.find(": ");
  return colon == 36 ? text.substr(0, colon) : std::string();
}

CallTool make_call(const std::string& tool, const Recipe& recipe, const TaskBrief& task, const Situation& situation) {
  CallTool call{tool, ""};
  JsonWriter writer(call.args);
  writer.begin_object();
  if (tool == "create_artifact") {
    writer.key("name").string(shorten(task.title, kTitleBytesMax)).key("type").string(recipe.type);
    writer.key("content").string(artifact_text(task));
  } else if (tool == "create_data_item") {
    writer.key("item_type").string(recipe.type).key("data").begin_object();
    writer.key("topic").string(topic_of(task)).key("task").string(shorten(task.title, kTitleBytesMax));
    writer.key("earlier_results").number(task.earlier.size());
    writer.key("source").string("Braidlog's built-in offline model").end_object();
  } else if (tool == "calculator") {
    writer.key("expression").string("(" + std::to_string(task.earlier.size()) + " + 3) * 8");
  } else if (tool == "read_artifact") {
    writer.key("artifact_id").string(first_listed(situation));
  }
  writer.end_object();
  return call;
}

// ---- what came of it ----

std::string field(const PastCall& call, std::string_view key) {
  const auto value = call.result ? parse_json(*call.result) : Result<json::value>(json::value());
  const auto* object = value ? value->if_object() : nullptr;
  const auto* found = object == nullptr ? nullptr : object->if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

bool worked(const PastCall& call) {
  if (!call.result) return false;
  if (call.name == "create_artifact" || call.name == "read_artifact") return !field(call, "artifact_id").empty();
  if (call.name == "create_data_item") return !field(call, "data_item_id").empty();
  const char first = call.result->empty() ? ' ' : (*call.result)[0];
  if (call.name == "calculator" || call.name == "current_datetime") return first >= '0' && first <= '9';
  return true;
}

std::string told(const PastCall& call) {
  const std::string result = call.result ? shorten(*call.result, kReasonBytesMax) : "";
  if (call.name == "create_artifact") return "I kept the artifact \"" + field(call, "name") + "\".";
  if (call.name == "read_artifact") return "I read the artifact \"" + field(call, "name") + "\" again.";
  if (call.name == "create_data_item") return "I kept a data item of type " + field(call, "item_type") + ".";
  if (call.name == "calculator") {
    return "At 8 hours for each of the tasks so far and three more, that is " + call.argument("expression") + " = " +
           result + " hours.";
  }
  if (call.name == "current_datetime") return "The work begins at " + result + ".";
  if (call.name == "list_artifacts") {
    const bool none = result.starts_with("The session has no artifacts");
    const auto count = call.result ? std::count(call.result->begin(), call.result->end(), '\n') + 1 : 0;
    return none ? "There is no artifact yet." : "Artifacts that are there: " + std::to_string(count) + ".";
  }
  return call.name + " said: " + result;
}

Answer give_up(const Situation& situation, const std::string& reason) {
  if (!situation.offers("fail_task")) return say("I could not do this task: " + reason + ".");
  std::string args;
  JsonWriter(args).begin_object().key("reason").string(reason).end_object();
  return Answer{.pieces = {CallTool{"fail_task", std::move(args)}}};
}

}  // namespace

std::string task_result(const TaskBrief& task, const Situation& situation) {
  std::string text;
  for (const auto& call : situation.calls) text += (text.empty() ? "" : " ") + told(call);
  if (text.empty()) text = "There was no tool for this, and an offline model knows no facts.";
  return text + on_what_it_builds(task);
}

std::optional<Answer> execute_task(const Situation& situation) {
  const auto task = read_task(situation.ask);
  if (!task) return std::nullopt;
  if (!situation.calls_of("fail_task").empty()) return say("I could not do this task.");
  if (task->is_hopeless()) return give_up(situation, task->hopeless_reason());
  if (!situation.calls.empty() && !worked(situation.calls.back())) {
    const PastCall& failed = situation.calls.back();
    const std::string why = failed.result ? shorten(*failed.result, kReasonBytesMax) : "no result came back";
    return give_up(situation, failed.name + " did not work: " + why);
  }
  const Recipe recipe = possible_recipe(*task, situation);
  const std::size_t next = situation.calls.size();
  const bool nothing_to_read =
      next < recipe.tools.size() && recipe.tools[next] == "read_artifact" && first_listed(situation).empty();
  if (next >= recipe.tools.size() || nothing_to_read) return say(task_result(*task, situation));
  return Answer{.pieces = {Say{"I use " + recipe.tools[next] + " for this."},
                           make_call(recipe.tools[next], recipe, *task, situation)}};
}

}  // namespace braidlog::provider
