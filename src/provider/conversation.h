// A run's messages as every provider takes them. Whatever the engine's history went through (a crash, an interrupt, a
// cut to the model's size, another provider before), what comes out of here is a conversation that no server refuses
// for its shape:
//
//   - it begins with the user and ends with the user or with the results of tools;
//   - no message is empty, and no two of the user, or of the assistant without calls, stand next to each other;
//   - each call has arguments that are an object, an id of its own, and right behind its message one result.
#pragma once

#include <string>
#include <vector>

#include "port/model.h"

namespace braidlog::provider {

enum class CallIds {
  kAsTheyAre,  // some servers read meaning in their own ids
  kStrict,     // letters, digits, _ and -, forty at most: Anthropic and OpenAI refuse others
};

std::vector<ModelMessage> valid_conversation(const ModelRequest& request, CallIds ids);

// Instructions and context as one text: templates of many models take no second system message.
std::string system_text(const ModelRequest& request);

// `tool.parameters_json`, or the schema of no arguments.
std::string_view parameters_of(const ToolOffer& tool);

}  // namespace braidlog::provider
