#include "provider/lone_surrogates.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

std::optional<std::string> alone(std::string_view json) {
  HalfCharacter none;
  return without_lone_surrogates(json, none);
}

TEST(LoneSurrogates, HalvesAreReplacedAndPairsAreKept) {
  EXPECT_EQ(alone(R"({"a":"x\ud83d!"})"), R"({"a":"x\ufffd!"})");
  EXPECT_EQ(alone(R"({"a":"\uDE00x"})"), R"({"a":"\ufffdx"})");
  EXPECT_EQ(alone(R"("\ud83d\ud83d\ude00\n\ude00")"), R"("\ufffd\ud83d\ude00\n\ufffd")");
  for (const char* sound :
       {"", "{}", R"("\ud83d\ude00")", R"("\\ud83d")", R"("\u00fc")", R"("\ud8)", R"("\)", R"("\uzzzz")"}) {
    EXPECT_EQ(alone(sound), std::nullopt) << sound;
  }
}

TEST(LoneSurrogates, TheTwoHalvesOfACharacterMeetAcrossEvents) {
  HalfCharacter half;
  EXPECT_EQ(without_lone_surrogates(R"({"a":"x\ud83d","b":1})", half), R"({"a":"x","b":1})");
  EXPECT_EQ(without_lone_surrogates(R"({"id":"other","b":2})", half), std::nullopt);
  EXPECT_EQ(without_lone_surrogates(R"({"a":"\uDE00y"})", half), R"({"a":"\ud83d\ude00y"})");
  EXPECT_EQ(without_lone_surrogates(R"({"a":"\uDE00y"})", half), R"({"a":"\ufffdy"})") << "there was one only";
}

}  // namespace
}  // namespace braidlog::provider
