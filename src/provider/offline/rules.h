// The rules of the offline model, in order; the first that fits answers. A rule is a pure function of the
// situation: the same messages give the same answer, byte for byte.
//
// To add one: write it in the file of its kind (or a new one), declare it here, put it in the list in
// rules.cpp. A rule that calls a tool has two halves, told apart by situation.calls_of(tool): none yet, make
// the call; else report. It calls only when the tool is on offer, and reports even when it no longer is.
#pragma once

#include <optional>
#include <string>

#include "provider/offline/answer.h"
#include "provider/offline/situation.h"
#include "provider/offline/task_brief.h"

namespace braidlog::provider {

using Rule = std::optional<Answer> (*)(const Situation&);

// What the model says in this situation, for the purpose of the turn. "think …" and "reason …" put reasoning before the
// answer to the rest.
Answer answer_for(const Situation& situation);

// trial_rules.cpp
std::optional<Answer> call_tool(const Situation& situation);  // "call TOOL {…}"

// talk_rules.cpp
std::optional<Answer> repeat_exactly(const Situation& situation);   // "repeat after me: TEXT", "say exactly: TEXT"
std::optional<Answer> tell_long_story(const Situation& situation);  // "a long story about X"
Answer introduce_itself(const Situation& situation);                // anything else

// file_rules.cpp
std::optional<Answer> rename_file(const Situation& situation);  // "rename A to B"
std::optional<Answer> write_files(const Situation& situation);  // "write … to NAME", "… to A and B"
std::optional<Answer> read_file(const Situation& situation);    // "read NAME"
std::optional<Answer> list_files(const Situation& situation);   // "list files"

// attachment_rules.cpp
std::optional<Answer> quote_attachments(const Situation& situation);  // "summarize the attached file"

// knowledge_rules.cpp
std::optional<Answer> search_knowledge(const Situation& situation);  // any question, where there is a knowledge base

// operator_rules.cpp
std::optional<Answer> alert_admin(const Situation& situation);  // "alert the admin", "the database is down"
std::optional<Answer> tell_status(const Situation& situation);  // "what is the system status?"

// question_rules.cpp
std::optional<Answer> calculate(const Situation& situation);  // "what is 12*7+3?"
std::optional<Answer> tell_time(const Situation& situation);  // "what time is it?"

// code_rules.cpp, for a model that writes code
std::optional<Answer> write_code(const Situation& situation);       // "sum of the first 100 squares"
std::optional<Answer> give_up_in_code(const Situation& situation);  // a task that says that it fails
std::optional<std::string> best_value(const Situation& situation);  // the answer, if code has shown it

// goal_rules.cpp, for a planner
std::optional<Answer> set_tasks(const Situation& situation);     // "Plan the launch of our new website"
std::optional<Answer> ask_for_goal(const Situation& situation);  // anything else

// task_rules.cpp
std::optional<Answer> execute_task(const Situation& situation);              // "Task: …"
std::string task_result(const TaskBrief& task, const Situation& situation);  // as text, from the calls so far

// purpose_rules.cpp, for turns that have one of their own
Answer make_plan(const Situation& situation);  // before actions, and again after some
Answer reflect(const Situation& situation);    // on a task that is over
Answer conclude(const Situation& situation);   // when there are no steps left

}  // namespace braidlog::provider
