#include "dialect/identity/errors.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "dialect/error_words.h"

namespace braidlog::identity {

HttpResponse error_response(const Error& error) {
  const bool is_wrong_body = error.code == ErrorCode::kBadField || error.code == ErrorCode::kMalformed;
  std::string body;
  JsonWriter(body).begin_object().key("detail").string(client_message(error)).end_object();
  auto response = HttpResponse::json(is_wrong_body ? 422 : usual_status(error.code), std::move(body));
  add_error_headers(response, error);
  return response;
}

}  // namespace braidlog::identity
