#include "tool/http/response_collector.h"

#include <utility>

#include "base/utf8.h"

namespace braidlog::tool {

ResponseCollector::ResponseCollector(HttpClient& client, OutgoingRequest request, std::size_t bytes_max, Done done)
    : bytes_max_(bytes_max), done_(std::move(done)), call_(client.send(std::move(request), *this)) {}

void ResponseCollector::on_head(const ResponseHead& head) {
  response_.status = head.status();
  response_.content_type = to_valid_utf8(head.header("Content-Type"));
  response_.content_encoding = to_valid_utf8(head.header("Content-Encoding"));
  response_.location = head.header("Location");
}

void ResponseCollector::on_bytes(std::string_view bytes) {
  const std::size_t room = bytes_max_ - response_.body.size();
  response_.body += bytes.substr(0, room);
  if (bytes.size() <= room) return;
  response_.is_cut = true;
  call_.reset();
  on_done(CallEnd::kComplete);
}

void ResponseCollector::on_done(CallEnd end) {
  response_.end = end;
  // Out of here first: `done` may destroy this.
  CollectedResponse response = std::move(response_);
  Done done = std::move(done_);
  done(std::move(response));
}

std::string words_for(CallEnd end, std::string_view host) {
  const std::string name(host);
  switch (end) {
    case CallEnd::kComplete:
    case CallEnd::kCut: return "the connection to " + name + " broke before its answer was complete";
    case CallEnd::kNotReached: return name + " could not be reached";
    case CallEnd::kRefused:
      return "the address of " + name + " is not public, and this server does not let tools reach it";
    case CallEnd::kConnectTimeout: return name + " did not answer in time";
  }
  return {};
}

}  // namespace braidlog::tool
