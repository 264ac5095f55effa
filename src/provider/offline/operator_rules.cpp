// The rules of an operator: how the server is doing, and whom to tell when it is not doing well.
#include <array>

#include "base/json.h"
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kMessageBytesMax = 500;
constexpr std::size_t kReasonBytesMax = 200;

// ---- alerts ----

bool begins_question(const std::vector<Word>& words) {
  return !words.empty() && is_one_of(words[0].lower, {"is",    "are",  "was",   "were", "do",     "does",   "did",
                                                      "has",   "have", "how",   "what", "what's", "why",    "when",
                                                      "where", "who",  "which", "if",   "should", "suppose"});
}

// Where somebody asks for an administrator: the verb and the noun of "alert the admin".
struct Request {
  std::size_t verb = 0, noun = 0;  // indices of words
  bool is_negated = false;         // "do not alert the admin"
};

bool is_negated(const std::vector<Word>& words, std::size_t verb) {
  for (std::size_t i = verb >= 3 ? verb - 3 : 0; i < verb; ++i) {
    if (is_one_of(words[i].lower, {"don't", "dont", "not", "never", "without", "didn't"})) return true;
  }
  return false;
}

std::optional<Request> find_request(const std::vector<Word>& words) {
  for (std::size_t verb = 0; verb < words.size(); ++verb) {
    if (!is_one_of(words[verb].lower, {"alert", "notify", "page", "inform", "warn", "ping", "contact", "tell", "call",
                                       "message", "escalate"})) {
      continue;
    }
    std::size_t noun = verb + 1;
    while (noun < words.size() && is_one_of(words[noun].lower, {"the", "an", "a", "our", "your", "my", "all", "to",
                                                                "this", "it", "system", "server", "on", "duty"})) {
      ++noun;
    }
    if (noun >= words.size()) continue;
    if (is_one_of(words[noun].lower, {"admin", "admins", "administrator", "administrators", "sysadmin", "operator",
                                      "operators", "ops", "on-call", "oncall"})) {
      return Request{verb, noun, is_negated(words, verb)};
    }
  }
  return std::nullopt;
}

bool reports_failure(const std::string& lower, const std::vector<Word>& words) {
  if (begins_question(words) || trim(lower).ends_with('?')) return false;
  return has_phrase(lower, {"is down", "are down", "went down", "is offline", "outage", "system failure", "has failed",
                            "have failed", "crashed", "is broken", "is not working", "isn't working", "stopped working",
                            "not responding", "is unreachable", "data loss", "emergency"});
}

std::string_view without_leading(std::string_view text, std::initializer_list<std::string_view> leads) {
  for (bool again = true; again;) {
    again = false;
    text = trim(text);
    for (const std::string_view lead : leads) {
      const bool whole = text.size() == lead.size() || (text.size() > lead.size() && text[lead.size()] == ' ');
      const bool is_sign = lead.size() == 1;
      if (!to_lower(text.substr(0, lead.size())).starts_with(lead) || !(whole || is_sign)) continue;
      text.remove_prefix(lead.size());
      again = true;
    }
  }
  return text;
}

// "disk is full" of "Alert the admin: disk is full".
std::string_view after_request(const std::string& ask, const Word& noun) {
  std::string_view rest = std::string_view(ask).substr(noun.begin + noun.text.size());
  rest = without_leading(rest, {":", ",", "-", ".", "!", "that", "about", "because", "please", "now", "immediately"});
  const std::size_t priority =
      to_lower(rest).starts_with("with ") ? find_phrase(to_lower(rest), "priority") : std::string::npos;
  if (priority == std::string::npos) return rest;
  return without_leading(rest.substr(priority + 8), {":", ",", "-", ".", "that", "about", "because"});
}

// "The database is down" of "The database is down, please alert the admin".
std::string_view before_request(const std::string& ask, const Word& verb) {
  std::string_view text = std::string_view(ask).substr(0, verb.begin);
  const auto words = split_words(text);
  std::size_t end = words.size();
  while (end > 0 &&
         is_one_of(words[end - 1].lower, {"please", "can", "could", "would", "will", "you", "and", "so", "then", "must",
                                          "we", "i", "want", "to", "need", "hello", "hi", "hey"})) {
    --end;
  }
  text = end == 0 ? std::string_view() : trim(text.substr(0, words[end - 1].end));
  while (text.ends_with(',') || text.ends_with(':') || text.ends_with(';')) text.remove_suffix(1);
  return text;
}

std::string alert_message(const std::string& ask, const std::vector<Word>& words,
                          const std::optional<Request>& request) {
  if (!request) return "User reports: " + shorten(ask, kMessageBytesMax);
  for (const std::string_view part :
       {after_request(ask, words[request->noun]), before_request(ask, words[request->verb])}) {
    if (!split_words(part).empty()) return shorten(part, kMessageBytesMax);
  }
  return "A user asks for an administrator.";
}

std::string_view priority_of(const std::string& lower) {
  for (const std::string_view priority : {"low", "normal", "high", "critical"}) {
    if (has_phrase(lower, {std::string(priority) + " priority", "priority " + std::string(priority),
                           "priority: " + std::string(priority)})) {
      return priority;
    }
  }
  if (has_phrase(lower, {"not urgent", "no rush", "no hurry", "minor", "fyi", "when convenient"})) return "low";
  if (has_phrase(lower, {"critical", "emergency", "urgent", "urgently", "immediately", "at once", "data loss", "breach",
                         "everything is down"})) {
    return "critical";
  }
  if (has_phrase(lower,
                 {"down", "outage", "failure", "failed", "failing", "crashed", "broken", "offline", "not working",
                  "isn't working", "stopped working", "not responding", "unreachable", "important"})) {
    return "high";
  }
  return "normal";
}

const json::value* field(const json::value& value, std::string_view key) {
  const auto* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

std::uint64_t number(const json::value& value, std::string_view key) {
  const auto* found = field(value, key);
  boost::system::error_code none;
  return found == nullptr ? 0 : found->to_number<std::uint64_t>(none);
}

std::string text(const json::value& value, std::string_view key) {
  const auto* found = field(value, key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string reason_of(const PastCall& call) {
  return call.result ? shorten(*call.result, kReasonBytesMax) : "no result came back";
}

Answer report_alert(const PastCall& call) {
  const auto result = call.result ? parse_json(*call.result) : Result<json::value>(json::value());
  if (!result || text(*result, "status") != "sent") return say("I could not alert the admin: " + reason_of(call));
  const std::string priority = call.argument("priority");
  return say("Done. I alerted the admin" + (priority.empty() ? "" : " with priority " + priority) + ". The ticket is " +
             std::to_string(number(*result, "ticket_id")) + ".");
}

// ---- the status ----

bool asks_for_status(const std::string& lower) {
  if (has_phrase(lower,
                 {"status", "uptime", "system health", "server health", "health check", "healthy", "how is the server",
                  "how is the system", "how's the server", "how's the system", "server load", "system load"})) {
    return true;
  }
  const bool asks = trim(lower).ends_with('?') || lower.starts_with("is ") || lower.starts_with("are ");
  return asks && has_phrase(lower, {"server", "system", "everything", "service"}) &&
         has_phrase(lower,
                    {"up", "down", "ok", "okay", "fine", "running", "working", "alive", "slow", "online", "offline"});
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// The two largest units: "2 hours 5 minutes".
std::string duration_words(std::uint64_t seconds) {
  struct Unit {
    std::uint64_t seconds;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits{{{86'400, "day"}, {3'600, "hour"}, {60, "minute"}, {1, "second"}}};
  for (std::size_t i = 0; i + 1 < kUnits.size(); ++i) {
    if (seconds < kUnits[i].seconds) continue;
    const std::uint64_t rest = seconds % kUnits[i].seconds / kUnits[i + 1].seconds;
    const std::string words = counted(seconds / kUnits[i].seconds, kUnits[i].name);
    return rest == 0 ? words : words + " " + counted(rest, kUnits[i + 1].name);
  }
  return counted(seconds, "second");
}

Answer report_status(const PastCall& call) {
  const auto result = call.result ? parse_json(*call.result) : Result<json::value>(json::value());
  if (!result || text(*result, "status").empty()) return say("I could not look at the status: " + reason_of(call));
  return say("The server is " + text(*result, "status") + ": version " + text(*result, "version") + ", up for " +
             duration_words(number(*result, "uptime_seconds")) + ", with " +
             join_names({counted(number(*result, "runs_open"), "open run"),
                         counted(number(*result, "streams_open"), "open stream"),
                         counted(number(*result, "connections_open"), "open connection")}) +
             ". It has served " + counted(number(*result, "requests_total"), "request") + " and uses " +
             std::to_string(number(*result, "resident_bytes") / (1024 * 1024)) + " MiB of memory.");
}

}  // namespace

std::optional<Answer> alert_admin(const Situation& situation) {
  const auto calls = situation.calls_of("alert_admin");
  if (!calls.empty()) return report_alert(calls.back());
  if (!situation.offers("alert_admin")) return std::nullopt;
  const std::string lower = to_lower(situation.ask);
  const auto words = split_words(situation.ask);
  const auto request = find_request(words);
  // "How do I alert the admin?" asks for no alert, and "don't" forbids one.
  const bool wants = request ? !request->is_negated && !begins_question(words) : reports_failure(lower, words);
  if (!wants) return std::nullopt;
  std::string args;
  JsonWriter(args)
      .begin_object()
      .key("message")
      .string(alert_message(situation.ask, words, request))
      .key("priority")
      .string(priority_of(lower))
      .end_object();
  return Answer{.pieces = {CallTool{"alert_admin", std::move(args)}}};
}

std::optional<Answer> tell_status(const Situation& situation) {
  const auto calls = situation.calls_of("system_status");
  if (!calls.empty()) return report_status(calls.back());
  if (!situation.offers("system_status") || !asks_for_status(to_lower(situation.ask))) return std::nullopt;
  return Answer{.pieces = {CallTool{"system_status", "{}"}}};
}

}  // namespace braidlog::provider
