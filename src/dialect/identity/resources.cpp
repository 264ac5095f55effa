#include "dialect/identity/resources.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "wire/cookie.h"

namespace braidlog::identity {

namespace {

// Who somebody is changes with the cookie, so no cache may answer for us.
HttpResponse uncached(HttpResponse response) {
  response.set("Cache-Control", "no-store");
  return response;
}

}  // namespace

HttpResponse logged_in(const api::LoggedIn& logged_in, bool is_secure) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("user_id").string(logged_in.me.user_id).key("username").string(logged_in.me.username);
  w.end_object();
  auto response = uncached(HttpResponse::json(200, std::move(body)));
  response.set("Set-Cookie", set_session_cookie(logged_in.token, logged_in.lifetime, is_secure));
  return response;
}

HttpResponse logged_out(bool is_secure) {
  auto response = uncached(HttpResponse::empty(204));
  response.set("Set-Cookie", clear_session_cookie(is_secure));
  return response;
}

HttpResponse me_body(const api::Me& me) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("user_id").string(me.user_id).key("username").string(me.username);
  w.key("role").string(me.is_admin ? "admin" : "user").end_object();
  return uncached(HttpResponse::json(200, std::move(body)));
}

HttpResponse alerts_body(const api::AlertList& alerts) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("alerts").begin_array();
  for (const api::Alert& alert : alerts) {
    w.begin_object().key("ticket").number(alert.ticket);
    w.key("created_at").string(to_iso8601(alert.at));
    w.key("user_id").string(alert.user_id);
    w.key("session_id").string(to_uuid(alert.session_id));
    w.key("run_id").string(to_uuid(alert.run_id));
    w.key("message").string(alert.message);
    w.key("priority").string(alert.priority).end_object();
  }
  w.end_array().end_object();
  return HttpResponse::json(200, std::move(body));
}

}  // namespace braidlog::identity
