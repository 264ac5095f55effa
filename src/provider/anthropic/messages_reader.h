// The stream of an answer in Anthropic's words: named events, each with its name in its data too, which is what counts.
#pragma once

#include <memory>
#include <string>

#include "provider/anthropic/messages_answer.h"
#include "provider/anthropic/messages_request.h"
#include "provider/stream_attempt.h"

namespace braidlog::provider {

// `body` is what was asked; it is needed again when the answer pauses. `parser` is of the call's loop and outlives the
// reader, as do `settings`.
std::unique_ptr<AnswerReader> make_messages_reader(ModelSink& sink, const MessagesSettings& settings, std::string body,
                                                   MessageEventParser& parser);

}  // namespace braidlog::provider
