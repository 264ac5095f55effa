#include "dialect/log/watch_frames.h"

#include "base/json.h"
#include "base/version.h"
#include "dialect/error_words.h"
#include "dialect/runs/resources.h"
#include "wire/sse.h"

namespace braidlog::log {

namespace {

std::string frame(std::string_view type, std::string_view data) {
  std::string out;
  append_frame(out, type, "", data);
  return out;
}

std::string frame_of_watch(std::string_view type, const WatchName& watch) {
  std::string data;
  JsonWriter(data).begin_object().key("view").string(watch.view).end_object();
  return frame(std::string(type) + " " + watch.run, data);
}

}  // namespace

std::string event_line(const WatchName& watch) {
  return "event: " + watch.view + " " + watch.run + "\n";
}

std::string caught_up_frame(const WatchName& watch) {
  return frame_of_watch("caught-up", watch);
}

std::string over_frame(const WatchName& watch) {
  return frame_of_watch("over", watch);
}

std::string refused_frame(const WatchName& watch, const Error& error) {
  std::string data;
  JsonWriter w(data);
  w.begin_object().key("view").string(watch.view).key("status").number(usual_status(error.code));
  w.key("error").string(client_message(error)).end_object();
  return frame("refused " + watch.run, data);
}

std::string hello_frame(const api::Caller& caller) {
  std::string data;
  JsonWriter w(data);
  w.begin_object().key("version").string(kVersion).key("user_id").string(caller.user_id);
  w.key("is_admin").boolean(caller.is_admin).end_object();
  return frame("hello", data);
}

std::string changed_frame(const ChangedRun& run, std::string_view what) {
  std::string data;
  JsonWriter w(data);
  w.begin_object().key("run_id").string(to_prefixed(run.run_id)).key("session_id").string(to_prefixed(run.session_id));
  w.key("status").string(runs::status_name(run.status)).key("what").string(what).end_object();
  return frame("changed", data);
}

std::string missed_frame() {
  return frame("missed", "{}");
}

}  // namespace braidlog::log
