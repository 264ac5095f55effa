#include "dialect/steps/errors.h"

#include "dialect/sessions/errors.h"

namespace braidlog::steps {

HttpResponse error_response(const Error& error) {
  Error told = error;
  if (error.code == ErrorCode::kSessionNotFound) told.message = "Session not found";
  if (error.code == ErrorCode::kActiveRunExists) told.message = "Session already has an active run";
  return sessions::error_response(told);
}

Error no_active_run() {
  return {ErrorCode::kRunNotFound, "No active run found for this session", {}};
}

}  // namespace braidlog::steps
