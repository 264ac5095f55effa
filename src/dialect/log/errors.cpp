#include "dialect/log/errors.h"

#include "dialect/sessions/errors.h"

namespace braidlog::log {

HttpResponse error_response(const Error& error) {
  return sessions::error_response(error);
}

}  // namespace braidlog::log
