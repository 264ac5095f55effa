#include "dialect/conversation/errors.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "dialect/error_words.h"

namespace braidlog::conversation {

namespace {

int status_of(ErrorCode code) {
  const int status = usual_status(code);
  return status == 400 ? 422 : status;
}

// The contract's own words; who asks for a conversation must not be told of sessions.
std::string detail_of(const Error& error) {
  if (error.code == ErrorCode::kSessionNotFound) return "Conversation not found";
  if (error.code == ErrorCode::kUnauthorized) return "Authentication required";
  if (error.code == ErrorCode::kActiveRunExists) return "The conversation already has an active run";
  return client_message(error);
}

}  // namespace

HttpResponse error_response(const Error& error) {
  auto response = detail_response(status_of(error.code), detail_of(error));
  add_error_headers(response, error);
  return response;
}

HttpResponse detail_response(int status, std::string_view detail) {
  std::string body;
  JsonWriter(body).begin_object().key("detail").string(detail).end_object();
  return HttpResponse::json(status, std::move(body));
}

}  // namespace braidlog::conversation
