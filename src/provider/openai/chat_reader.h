// The stream of a chat completion: unnamed events with a chunk each, and [DONE].
#pragma once

#include <memory>

#include "provider/openai/chat_answer.h"
#include "provider/stream_attempt.h"

namespace braidlog::provider {

// `parser` is of the call's loop and outlives the reader.
std::unique_ptr<AnswerReader> make_chat_reader(ModelSink& sink, ChatAnswer::Settings settings, ChunkParser& parser);

}  // namespace braidlog::provider
