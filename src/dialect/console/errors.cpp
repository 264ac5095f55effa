#include "dialect/console/errors.h"

#include "dialect/sessions/errors.h"

namespace braidlog::console {

HttpResponse error_response(const Error& error) {
  return sessions::error_response(error);
}

}  // namespace braidlog::console
