#include "dialect/sessions/errors.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "dialect/error_words.h"

namespace braidlog::sessions {

HttpResponse error_response(const Error& error) {
  std::string body;
  JsonWriter(body).begin_object().key("error").string(client_message(error)).end_object();
  auto response = HttpResponse::json(usual_status(error.code), std::move(body));
  add_error_headers(response, error);
  return response;
}

}  // namespace braidlog::sessions
