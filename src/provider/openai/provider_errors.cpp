#include "provider/openai/provider_errors.h"

#include <string>

namespace braidlog::provider {

Error error_of_status(int status) {
  const auto error = [&](ErrorCode code, const std::string& what) {
    return Error{code, what + " (HTTP " + std::to_string(status) + ")", {}};
  };
  if (status == 429) return error(ErrorCode::kProviderRateLimited, "The model provider is limiting requests");
  if (status == 408 || status == 504) {
    return error(ErrorCode::kProviderTimeout, "The model provider did not answer in time");
  }
  if (status == 401 || status == 403) {
    return error(ErrorCode::kProvider, "The model provider does not accept the server's credentials");
  }
  if (status == 402) return error(ErrorCode::kProvider, "The model provider asks for payment");
  if (status == 404) return error(ErrorCode::kProvider, "The model provider does not know this model or address");
  if (status == 413) return error(ErrorCode::kProvider, "The conversation is too long for the model provider");
  if (status == 503 || status == 529) return error(ErrorCode::kProvider, "The model provider is overloaded");
  if (status >= 500) return error(ErrorCode::kProvider, "The model provider failed");
  if (status >= 400) return error(ErrorCode::kProvider, "The model provider refused the request");
  return error(ErrorCode::kProvider, "The model provider answered with something else than an answer");
}

Error error_of_end(CallEnd end) {
  switch (end) {
    case CallEnd::kNotReached: return {ErrorCode::kProvider, "The model provider could not be reached", {}};
    case CallEnd::kConnectTimeout:
      return {ErrorCode::kProviderTimeout, "The model provider could not be reached in time", {}};
    case CallEnd::kComplete:
    case CallEnd::kCut: break;
  }
  return {ErrorCode::kProvider, "The model provider closed the connection without an answer", {}};
}

}  // namespace braidlog::provider
