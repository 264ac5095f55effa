#include "dialect/steps/resources.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "dialect/wire_text.h"

namespace braidlog::steps {

namespace {

void begin_step(std::string& out, std::string_view step_type, std::uint32_t step_number) {
  out.append("{\"type\":\"step\",\"step_type\":\"").append(step_type);
  out.append("\",\"step_number\":").append(std::to_string(step_number));
}

void append_usage(std::string& out, const Usage& usage) {
  JsonWriter w(out);
  w.begin_object();
  w.key("input_tokens").number(usage.input_tokens);
  w.key("output_tokens").number(usage.output_tokens);
  w.key("total_tokens").number(usage.total_tokens());
  w.end_object();
}

// What the model did not report is absent, never zero.
void end_step(std::string& out, const std::optional<Usage>& usage) {
  if (usage) {
    out.append(",\"token_usage\":");
    append_usage(out, *usage);
  }
  out.append("}");
}

}  // namespace

void append_step(std::string& out, const PlanMade& plan, std::size_t text_bytes_max) {
  begin_step(out, "planning", plan.step_number);
  out.append(",\"plan\":");
  append_cut_json_string(out, plan.text, text_bytes_max);
  end_step(out, plan.usage);
}

void append_step(std::string& out, const StepFinished& step, std::size_t text_bytes_max) {
  const auto text = [&](std::string_view key, const std::string& value) {
    out.append(key);
    append_cut_json_string(out, value, text_bytes_max);
  };
  const auto text_or_null = [&](std::string_view key, const std::optional<std::string>& value) {
    value ? text(key, *value) : void(out.append(key).append("null"));
  };
  begin_step(out, "action", step.step_number);
  text(",\"model_output\":", step.model_output);
  text_or_null(",\"code_action\":", step.code_action);
  text(",\"observations\":", step.observations);
  text_or_null(",\"error\":", step.error);
  end_step(out, step.usage);
}

HttpResponse step_list(const api::StepList& steps, std::size_t text_bytes_max) {
  std::string body = "{\"steps\":[";
  for (const auto& step : steps) {
    if (&step != &steps.front()) body += ',';
    std::visit([&](const auto& kind) { append_step(body, kind, text_bytes_max); }, step);
  }
  body += "]}";
  return HttpResponse::json(200, std::move(body));
}

HttpResponse tokens_body(const api::Session& session) {
  std::string body = "{\"tokens\":";
  append_usage(body, session.usage.value_or(Usage{}));
  body += '}';
  return HttpResponse::json(200, std::move(body));
}

HttpResponse interrupted() {
  return HttpResponse::json(200, R"({"success":true,"message":"Agent interrupted"})");
}

}  // namespace braidlog::steps
