// What came from an address, judged by its type: text already, something to extract text from, or neither.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "port/tool.h"
#include "tool/http/response_collector.h"

namespace braidlog::tool {

struct WebPage {
  std::string title;         // empty: none
  std::string url;           // where it came from, after redirects
  std::string content;       // UTF-8 text, or the bytes of a file
  std::string extract_type;  // the media type to extract text from; empty: `content` is the text
  std::string left_out;      // what is missing, in a sentence; empty: nothing
};

// kToolFailed with words for the model: a status that is no success, or a type that cannot be read.
Result<WebPage> page_of(CollectedResponse response, std::string url);

// {"title","url","text"}, and "note" where something is missing; the text cut to `characters_max`, with a mark.
ToolOutcome page_outcome(const WebPage& page, std::string text, std::size_t characters_max);

}  // namespace braidlog::tool
