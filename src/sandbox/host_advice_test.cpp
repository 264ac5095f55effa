#include "sandbox/host_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braidlog::sandbox {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRefused = "bwrap: No permissions to create new namespace, likely because the kernel does not\n";

TEST(HostAdviceTest, NamesTheSettingThatIsInTheWay) {
  EXPECT_THAT(advice_for(kRefused, {.unprivileged_userns_clone = 0}), HasSubstr("kernel.unprivileged_userns_clone=1"));
  EXPECT_THAT(advice_for("bwrap: Creating new namespace failed: No space left on device\n",
                         {.unprivileged_userns_clone = 1, .max_user_namespaces = 0}),
              HasSubstr("user.max_user_namespaces="));
  EXPECT_THAT(advice_for("bwrap: setting up uid map: Permission denied\n",
                         {.max_user_namespaces = 1000, .apparmor_restrict_unprivileged_userns = 1}),
              HasSubstr("kernel.apparmor_restrict_unprivileged_userns=0"));
  EXPECT_THAT(advice_for(kRefused, {.max_user_namespaces = 1000, .in_container = true}), HasSubstr("the container"));
  EXPECT_THAT(advice_for(kRefused, {}), HasSubstr("allow unprivileged user namespaces"));
}

TEST(HostAdviceTest, OtherReasonsAreToldAsTheyAre) {
  EXPECT_EQ(advice_for("Traceback:\n  File x\nModuleNotFoundError: No module named 'ctypes'\n", {}),
            "ModuleNotFoundError: No module named 'ctypes'");
  EXPECT_EQ(advice_for("", {}), "the process ended without a word");
  EXPECT_LE(advice_for(std::string(10'000, 'x'), {}).size(), 300u);
}

}  // namespace
}  // namespace braidlog::sandbox
