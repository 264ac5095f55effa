#include "app/agents_report.h"

#include <cstdio>
#include <string>

namespace braidlog::app {

namespace {

std::string name_of(const api::ModelSpec& model) {
  return model.name.empty() ? model.provider : model.provider + " " + model.name;
}

// "openai gpt-4o-mini, then offline".
std::string models_of(const agent::LoadedAgent& loaded) {
  const auto& model = loaded.agent.model;
  std::string text = name_of(model);
  // What the environment of this command makes of it.
  if (model.provider == "auto") text += ", here " + std::string(loaded.model->provider());
  for (const auto& next : model.fallback) text += ", then " + name_of(next);
  return text;
}

std::string tools_of(const api::Agent& agent) {
  std::string text;
  for (const auto& tool : agent.tools) text += (text.empty() ? "" : ", ") + tool;
  return text.empty() ? "none" : text;
}

}  // namespace

int print_check(const agent::FolderCheck& check) {
  for (const auto& loaded : check.agents) {
    std::printf("%s: good (%s, version %s)\n  model: %s\n  tools: %s\n", loaded->agent.name.c_str(),
                loaded->file.empty() ? "built in" : loaded->file.c_str(), loaded->agent.version.c_str(),
                models_of(*loaded).c_str(), tools_of(loaded->agent).c_str());
  }
  std::fflush(stdout);
  if (check.faults.empty()) return 0;
  std::fprintf(stderr, "%s\n", check.faults.c_str());
  return 1;
}

}  // namespace braidlog::app
