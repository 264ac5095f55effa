// A chat completion under way: an HTTP call, its bytes as server-sent events, these as chunks, those as an answer.
#pragma once

#include <cstddef>
#include <memory>

#include "base/loop.h"
#include "net/http_client.h"
#include "port/model.h"
#include "provider/openai/chunk_parser.h"

namespace braidlog::provider {

// What a call uses of its loop; all of it outlives the call.
struct ChatPlace {
  HttpClient& client;
  ChunkParser& parser;
  Loop& loop;
  std::size_t line_bytes_max = 0;
};

// `offers_tools`: a refusal may be for their sake.
std::unique_ptr<ModelCall> start_chat(OutgoingRequest request, bool offers_tools, ModelSink& sink, ChatPlace place);

}  // namespace braidlog::provider
