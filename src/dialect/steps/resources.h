// Results -> bodies of the steps contract, and how a step is written: the same bytes in a frame and in the list of
// steps.
#pragma once

#include <cstddef>
#include <string>

#include "api/service.h"
#include "wire/http.h"

namespace braidlog::steps {

// {"type":"step","step_type":"planning","step_number":1,"plan":"…"} and `token_usage` where the model reported any.
void append_step(std::string& out, const PlanMade& plan, std::size_t text_bytes_max);
// {"type":"step","step_type":"action","step_number":2,"model_output":"…","code_action":"…","observations":"…",
// "error":null} and `token_usage` likewise. A step of tool calls has no code, a step that went well no error: null.
void append_step(std::string& out, const StepFinished& step, std::size_t text_bytes_max);

HttpResponse step_list(const api::StepList& steps, std::size_t text_bytes_max);
// The sum over all runs of the session; of none it is 0.
HttpResponse tokens_body(const api::Session& session);
HttpResponse interrupted();

}  // namespace braidlog::steps
