// Who asks. Made by the server's authenticator, checked below the dialects: a dialect never decides who may see what.
#pragma once

#include <string>

namespace braidlog::api {

enum class CredentialKind { kNone, kCookie, kKey };  // kNone: the user of --dev, who needs none

struct Caller {
  std::string user_id;
  bool is_admin = false;
  std::string username{};
  CredentialKind kind = CredentialKind::kNone;
  std::string credential{};  // names the cookie's session or the key, not its secret: streams end with it
};

}  // namespace braidlog::api
