// A request that can go over plain HTTP/1.1, ready to be sent: where to, and the bytes of its head. What is made here
// is the special case on purpose, the common one of a model's server nearby; whatever is unusual about a request is
// left to libcurl.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "net/http_client.h"

namespace braidlog {

struct PlainRequest {
  std::string host;  // a name, or an address without brackets
  std::uint16_t port = 80;
  std::string origin;  // both, as they stand in the URL: requests of one origin share connections
  std::string head;    // up to and with the empty line
  std::string body;
  bool is_for_head = false;

  // Takes the body along. None, and then `request` is as it was, for one that
  //  - has rules, or is no http:// URL;
  //  - has a URL with a user, an address in one of its rarer spellings, dot segments, or anything that needs encoding;
  //  - names headers that are the connection's matter (Host, Connection, Transfer-Encoding, …).
  static std::optional<PlainRequest> of(OutgoingRequest& request);

  // Gives the memory of what was sent back.
  void drop_message() {
    if (head.empty()) return;
    std::string().swap(head);  // an assignment would keep the memory
    std::string().swap(body);
  }
};

}  // namespace braidlog
