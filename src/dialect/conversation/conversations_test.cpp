// The conversations so far.
#include "dialect/testing/conversation_fixture.h"

namespace braidlog::conversation {
namespace {

class Conversations : public ConversationFixture {
 protected:
  const std::string path = "/agent/conversations/" + to_uuid(session_id);
};

TEST_F(Conversations, History) {
  service.reply<api::ListConversations>(api::ConversationPage{{conversation(), conversation()}, "next"});
  const auto response = get("/agent/history");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"history":[)" + std::string(kConversationJson) + "," + kConversationJson +
                               R"(],"next_cursor":"next"})");
  EXPECT_EQ(service.asked<api::ListConversations>().at(0).limit, 20u);
  EXPECT_EQ(service.asked<api::ListConversations>().at(0).cursor, "");
  EXPECT_FALSE(service.asked<api::ListConversations>().at(0).everybody);
  get("/agent/history?limit=100&cursor=next%2B1&scope=all");
  EXPECT_EQ(service.asked<api::ListConversations>().at(1).limit, 100u);
  EXPECT_EQ(service.asked<api::ListConversations>().at(1).cursor, "next+1");
  EXPECT_TRUE(service.asked<api::ListConversations>().at(1).everybody);
}

TEST_F(Conversations, TheLastPage) {
  service.reply<api::ListConversations>(api::ConversationPage{});
  EXPECT_EQ(get("/agent/history?cursor=").body, R"({"history":[],"next_cursor":null})");
}

TEST_F(Conversations, HistoryRefusesWrongPages) {
  for (const std::string& query :
       {std::string("limit=0"), std::string("limit=101"), std::string("limit=x"), std::string("scope=mine"),
        std::string("cursor=%ff"), "cursor=" + std::string(300, 'c')}) {
    EXPECT_EQ(get("/agent/history?" + query).status, 422) << query;
  }
  EXPECT_EQ(service.asked_count(), 0u);
  service.reply<api::ListConversations>(fail(ErrorCode::kBadField, "`cursor` is none of ours", "cursor"));
  EXPECT_EQ(error_of(get("/agent/history?cursor=x")), "422 `cursor` is none of ours");
}

TEST_F(Conversations, Get) {
  service.reply<api::GetConversation>(conversation());
  for (const std::string& id : {to_uuid(session_id), to_ulid(session_id), to_prefixed(session_id)}) {
    const auto response = get("/agent/conversations/" + id);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, kConversationJson);
    EXPECT_EQ(service.asked<api::GetConversation>().back().id, session_id);
  }
}

TEST_F(Conversations, Rename) {
  service.reply<api::RenameSession>(session());
  service.reply<api::GetConversation>(conversation());
  const auto response = patch(path, R"({"title":"System Status Check"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, kConversationJson);
  EXPECT_EQ(service.asked<api::RenameSession>().at(0).id, session_id);
  EXPECT_EQ(service.asked<api::RenameSession>().at(0).title, "System Status Check");
  EXPECT_EQ(service.asked<api::GetConversation>().at(0).id, session_id);
}

TEST_F(Conversations, RenameRefusesWrongTitlesBeforeLookingForTheConversation) {
  for (const char* body :
       {"", "{}", "[]", R"({"title":null})", R"({"title":""})", R"({"title":" "})", R"({"title":["a"]})"}) {
    EXPECT_EQ(patch("/agent/conversations/nope", body).status, 422) << body;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(Conversations, Delete) {
  service.reply<api::DeleteSession>(api::DeletedSession{});
  const auto response = del(path);
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(service.asked<api::DeleteSession>().at(0).id, session_id);
}

TEST_F(Conversations, UnknownAndMalformedLookTheSame) {
  const std::string malformed = "/agent/conversations/nope";
  EXPECT_EQ(error_of(get(malformed)), "404 Conversation not found");
  EXPECT_EQ(error_of(patch(malformed, R"({"title":"t"})")), "404 Conversation not found");
  EXPECT_EQ(error_of(del(malformed)), "404 Conversation not found");
  EXPECT_EQ(service.asked_count(), 0u);
  service.reply<api::GetConversation>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  service.reply<api::RenameSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  service.reply<api::DeleteSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(get(path)), "404 Conversation not found");
  EXPECT_EQ(error_of(patch(path, R"({"title":"t"})")), "404 Conversation not found");
  EXPECT_EQ(error_of(del(path)), "404 Conversation not found");
  EXPECT_EQ(get(path).body, get(malformed).body);
}

TEST_F(Conversations, DeletedWhileItIsRenamed) {
  service.reply<api::RenameSession>(session());
  service.reply<api::GetConversation>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(patch(path, R"({"title":"t"})")), "404 Conversation not found");
}

}  // namespace
}  // namespace braidlog::conversation
