#include "tool/webhook/alert_webhook.h"

#include <utility>

#include "base/json.h"
#include "base/log.h"

namespace braidlog::tool {

namespace {

constexpr int kTries = 3;
constexpr std::chrono::seconds kTryTime{10}, kPause{2};

std::string body_of(const api::Alert& alert) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("ticket").number(static_cast<std::int64_t>(alert.ticket));
  w.key("created_at").string(to_iso8601(alert.at));
  w.key("user_id").string(alert.user_id);
  w.key("session_id").string(to_uuid(alert.session_id));
  w.key("run_id").string(to_uuid(alert.run_id));
  w.key("message").string(alert.message);
  w.key("priority").string(alert.priority);
  w.end_object();
  return body;
}

}  // namespace

class AlertWebhook::Delivery final : private HttpCallSink {
 public:
  Delivery(std::string url, std::string body, HttpClient& client, Loop& loop,
           UniqueFunction<void(const Delivery&)> done)
      : url_(std::move(url)), body_(std::move(body)), client_(client), loop_(loop), done_(std::move(done)) {}

  void attempt() {
    status_ = 0;
    settled_ = false;
    timer_ = loop_.after(kTryTime, [this] { finish(); });
    call_ = client_.send({Method::kPost, url_, {{"Content-Type", "application/json"}}, body_}, *this);
  }

 private:
  void on_head(const ResponseHead& head) override { status_ = head.status(); }
  void on_bytes(std::string_view) override {}
  void on_done(CallEnd) override { finish(); }

  void finish() {
    if (std::exchange(settled_, true)) return;  // by the answer, or by the time
    // The call and the timer may be what runs now: they go with the next attempt, or with this object, later.
    const bool taken = status_ >= 200 && status_ < 300;
    if (taken || --tries_left_ == 0) {
      if (!taken) log_warn("the alert webhook could not be told", {{"status", std::to_string(status_)}});
      return done_(*this);
    }
    loop_.post([this, call = std::move(call_)] { timer_ = loop_.after(kPause, [this] { attempt(); }); });
  }

  const std::string url_, body_;
  HttpClient& client_;
  Loop& loop_;
  UniqueFunction<void(const Delivery&)> done_;
  int tries_left_ = kTries;
  int status_ = 0;
  bool settled_ = false;
  Timer timer_;
  std::unique_ptr<HttpCall> call_;
};

AlertWebhook::AlertWebhook(Alerts& kept, HttpClients& clients, std::string url)
    : kept_(kept), clients_(clients), url_(std::move(url)), under_way_(clients.count()) {}

AlertWebhook::~AlertWebhook() = default;

void AlertWebhook::raise(api::Alert alert, Loop& back, UniqueFunction<void(Result<std::uint64_t>)> reply) {
  api::Alert copy = alert;
  kept_.raise(std::move(alert), back,
              [this, copy = std::move(copy), &back, reply = std::move(reply)](Result<std::uint64_t> ticket) mutable {
                if (ticket) {
                  copy.ticket = *ticket;
                  deliver(copy, back);
                }
                reply(std::move(ticket));
              });
}

void AlertWebhook::deliver(const api::Alert& alert, Loop& loop) {
  auto& mine = under_way_[loop.index()];
  auto done = [&mine, &loop](const Delivery& delivery) {
    // It is inside one of its own functions.
    if (auto over = mine.extract(&delivery); !over.empty()) loop.post([gone = std::move(over.mapped())] {});
  };
  auto delivery = std::make_unique<Delivery>(url_, body_of(alert), clients_.on(loop), loop, std::move(done));
  Delivery& started = *delivery;
  mine[&started] = std::move(delivery);
  started.attempt();
}

}  // namespace braidlog::tool
