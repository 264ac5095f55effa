// Who asks. Made by the server's authenticator, checked below the dialects: a dialect never decides who may see what.
#pragma once

#include <string>

namespace braidlog::api {

struct Caller {
  std::string user_id;
  bool is_admin = false;
};

}  // namespace braidlog::api
