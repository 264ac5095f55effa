// Keeps other sites out: a page elsewhere must not be able to make the user's browser act here, and a name that an
// attacker points at this machine must not get an answer. One place for Host, Origin, Sec-Fetch-Site and CORS.
// Immutable; used by all io threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/http.h"

namespace braidlog {

class SiteGuard {
 public:
  // `dev` lets pages on this machine in, whatever their port.
  SiteGuard(std::string listen_host, std::vector<std::string> allowed_origins, bool dev);

  struct About {
    bool is_secure = false;   // it came over TLS: the server's own origin is then https
    bool starts_run = false;  // a GET that does changes something
  };
  // kForbidden for an unknown Host, and for a request of another site that changes something.
  Status check(const HttpRequest& head, const About& about) const;

  // What a browser asks before it lets a page of another origin send a request. Needs no credential.
  bool is_preflight(const HttpRequest& head) const;
  HttpResponse answer_preflight(const HttpRequest& head, bool is_secure) const;
  // Adds what a browser wants to see before it lets a page of an allowed origin read the answer.
  void let_read(const HttpRequest& head, bool is_secure, std::vector<HttpHeader>& headers) const;

 private:
  bool is_known_host(std::string_view host) const;
  bool is_allowed_origin(std::string_view origin, const HttpRequest& head, bool is_secure) const;

  std::string listen_host_;
  std::vector<std::string> allowed_origins_;
  bool dev_;
};

}  // namespace braidlog
