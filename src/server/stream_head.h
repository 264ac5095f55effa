// The head of an event stream.
#pragma once

#include <utility>
#include <vector>

#include "wire/http.h"

namespace braidlog {

inline HttpResponse stream_head(std::vector<HttpHeader> headers) {
  HttpResponse head = HttpResponse::empty(200);
  head.headers = std::move(headers);
  head.set("Content-Type", "text/event-stream");
  head.set("Cache-Control", "no-cache");
  head.set("X-Accel-Buffering", "no");
  return head;
}

}  // namespace braidlog
