#include "auth/change_notice.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace braidlog::auth {
namespace {

class ChangeNoticeTest : public ::testing::Test {
 protected:
  ChangeNoticeTest() {
    std::string name = ::testing::TempDir() + "braidlog-notice-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~ChangeNoticeTest() override { std::filesystem::remove_all(folder_); }
  ChangeNotice open() {
    auto notice = ChangeNotice::open(folder_);
    EXPECT_TRUE(notice.has_value()) << notice.error().message;
    return std::move(*notice);
  }
  std::string folder_;
};

TEST_F(ChangeNoticeTest, TheServerSeesWhatACommandAnnounces) {
  auto server = open();
  ASSERT_TRUE(server.serve().has_value());
  const auto before = server.changed();
  auto command = open();
  const auto announced = command.announce();
  EXPECT_NE(server.changed(), before);
  EXPECT_FALSE(command.is_seen(announced));
  server.set_seen(server.changed());
  EXPECT_TRUE(command.is_seen(announced));
  EXPECT_FALSE(command.is_seen(command.announce()));
}

TEST_F(ChangeNoticeTest, TellsWhetherAServerLives) {
  auto command = open();
  EXPECT_FALSE(command.is_served());
  std::optional<ChangeNotice> server = open();
  EXPECT_FALSE(command.is_served());
  ASSERT_TRUE(server->serve().has_value());
  EXPECT_TRUE(command.is_served());
  EXPECT_TRUE(command.is_served());
  server.reset();
  EXPECT_FALSE(command.is_served());
}

TEST_F(ChangeNoticeTest, WhatStandsInTheFileDoesNotMatter) {
  std::ofstream(folder_ + "/identity.version") << std::string(100, '\xff');
  auto server = open();
  auto command = open();
  server.set_seen(server.changed());
  const auto announced = command.announce();
  EXPECT_FALSE(command.is_seen(announced));
  server.set_seen(server.changed());
  EXPECT_TRUE(command.is_seen(announced));
}

TEST_F(ChangeNoticeTest, AFolderThatIsNotThereIsOneLine) {
  const auto notice = ChangeNotice::open(folder_ + "/none");
  ASSERT_FALSE(notice.has_value());
  EXPECT_EQ(notice.error().code, ErrorCode::kStorage);
  EXPECT_EQ(notice.error().message.find(folder_), std::string::npos) << "no path";
}

}  // namespace
}  // namespace braidlog::auth
