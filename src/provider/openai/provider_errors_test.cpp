#include "provider/openai/provider_errors.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

TEST(ProviderErrors, CodesOfStatuses) {
  EXPECT_EQ(error_of_status(429).code, ErrorCode::kProviderRateLimited);
  for (const int status : {408, 504}) EXPECT_EQ(error_of_status(status).code, ErrorCode::kProviderTimeout);
  for (const int status : {301, 400, 401, 402, 403, 404, 413, 422, 500, 502, 503, 529}) {
    const auto error = error_of_status(status);
    EXPECT_EQ(error.code, ErrorCode::kProvider) << status;
    EXPECT_NE(error.message.find("(HTTP " + std::to_string(status) + ")"), std::string::npos);
  }
}

TEST(ProviderErrors, CodesOfEnds) {
  EXPECT_EQ(error_of_end(CallEnd::kConnectTimeout).code, ErrorCode::kProviderTimeout);
  for (const auto end : {CallEnd::kNotReached, CallEnd::kCut, CallEnd::kComplete}) {
    EXPECT_EQ(error_of_end(end).code, ErrorCode::kProvider);
  }
}

}  // namespace
}  // namespace braidlog::provider
