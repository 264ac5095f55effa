#include "net/curl_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/context_timer.h"
#include "net/curl_transfer.h"
#include "net/http_client_sockets.h"

namespace braidlog {

namespace {

// Kept for later requests; more stay open only while a burst of calls lasts.
constexpr long kIdleConnectionsMax = 64;
// libcurl does not look at idle connections: those that the other side closed would stay open for ever.
constexpr std::chrono::seconds kIdleTime{60};

class CurlClient;

// What a call and its client know of each other; whichever goes first says so here.
struct CallLink {
  CurlClient* client = nullptr;  // null: the call is over, or the client is gone
  CurlTransfer* transfer = nullptr;
};

class CurlCall final : public HttpCall {
 public:
  explicit CurlCall(std::shared_ptr<CallLink> link) : link_(std::move(link)) {}
  ~CurlCall() override;

 private:
  std::shared_ptr<CallLink> link_;
};

class CurlClient final : public HttpClient {
 public:
  CurlClient(boost::asio::io_context& context, const Limits& limits, std::size_t connections_max)
      : limits_(limits),
        connections_max_(connections_max),
        timer_(context),
        idle_timer_(context),
        self_(std::make_shared<CurlClient*>(this)) {}
  ~CurlClient() override;

  Status open(boost::asio::io_context& context);
  std::unique_ptr<HttpCall> send(OutgoingRequest request, HttpCallSink& sink) override;
  void cancel(CurlTransfer& transfer);

 private:
  struct Entry {
    std::unique_ptr<CurlTransfer> transfer;
    std::shared_ptr<CallLink> link;
  };
  using TimePoint = std::chrono::steady_clock::time_point;

  void open_multi();
  void close_multi();
  void add(CurlTransfer& transfer);
  void end(CurlTransfer& transfer, CURLcode code);
  void on_ready(const epoll_event* first, int count);
  void on_timeout();
  void settle();
  void act(curl_socket_t fd, int what);
  void keep_connections(long calls);
  void arm(ContextTimer& timer, std::chrono::milliseconds delay, void (CurlClient::*due)());
  void wake_at(TimePoint due);
  void on_timer();
  void close_when_idle();

  static int watch_socket(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int set_timer(CURLM*, long delay_ms, void* self);

  // When libcurl wants to be called, and when a timer of ours will do so. It changes its mind with every call, mostly
  // before the time comes; to set a timer anew is dear, so one that is too early is let be, and looks again.
  std::optional<TimePoint> due_, timer_set_to_;
  const Limits limits_;
  const std::size_t connections_max_;
  ContextTimer timer_, idle_timer_;
  std::unique_ptr<HttpClientSockets> sockets_;
  CURLM* multi_ = nullptr;
  long calls_kept_for_ = -1;
  std::unordered_map<CurlTransfer*, Entry> transfers_;
  // libcurl takes no orders from inside its callbacks: what is asked for there is done when they are over.
  bool inside_curl_ = false;
  std::vector<CurlTransfer*> to_add_, to_cancel_;
  std::shared_ptr<CurlClient*> self_;  // null once this is gone: a timer that is due by then still runs
};

CurlCall::~CurlCall() {
  if (link_->client != nullptr) link_->client->cancel(*link_->transfer);
}

CurlClient::~CurlClient() {
  *self_ = nullptr;
  for (auto& [transfer, entry] : transfers_) {
    entry.link->client = nullptr;
    curl_multi_remove_handle(multi_, transfer->handle());
  }
  transfers_.clear();
  close_multi();
}

Status CurlClient::open(boost::asio::io_context& context) {
  auto sockets =
      HttpClientSockets::make(context, [this](const epoll_event* first, int count) { on_ready(first, count); });
  if (!sockets) return fail(sockets.error());
  sockets_ = std::move(*sockets);
  open_multi();
  return {};
}

void CurlClient::open_multi() {
  multi_ = curl_multi_init();
  BRAIDLOG_CHECK(multi_ != nullptr);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlClient::watch_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlClient::set_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(connections_max_));
  calls_kept_for_ = -1;
  keep_connections(0);
}

void CurlClient::close_multi() {
  if (multi_ != nullptr) curl_multi_cleanup(std::exchange(multi_, nullptr));
}

// libcurl counts connections in use and idle ones together. It looks at this when a call ends, and then closes the
// connection that was idle for longest.
void CurlClient::keep_connections(long calls) {
  if (std::exchange(calls_kept_for_, calls) == calls) return;
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, calls + kIdleConnectionsMax);
}

std::unique_ptr<HttpCall> CurlClient::send(OutgoingRequest request, HttpCallSink& sink) {
  auto transfer = std::make_unique<CurlTransfer>(std::move(request), sink, limits_);
  auto link = std::make_shared<CallLink>(CallLink{this, transfer.get()});
  CurlTransfer* key = transfer.get();
  transfers_.emplace(key, Entry{std::move(transfer), link});
  if (inside_curl_) {
    to_add_.push_back(key);
  } else {
    add(*key);
  }
  return std::make_unique<CurlCall>(std::move(link));
}

void CurlClient::add(CurlTransfer& transfer) {
  idle_timer_.cancel();
  keep_connections(static_cast<long>(transfers_.size()));
  BRAIDLOG_CHECK(curl_multi_add_handle(multi_, transfer.handle()) == CURLM_OK);
}

void CurlClient::cancel(CurlTransfer& transfer) {
  transfer.silence();
  if (inside_curl_) {
    to_cancel_.push_back(&transfer);
  } else {
    end(transfer, CURLE_ABORTED_BY_CALLBACK);
  }
}

void CurlClient::end(CurlTransfer& transfer, CURLcode code) {
  const auto node = transfers_.extract(&transfer);
  BRAIDLOG_CHECK(!node.empty());
  node.mapped().link->client = nullptr;
  std::erase(to_add_, &transfer);
  std::erase(to_cancel_, &transfer);
  curl_multi_remove_handle(multi_, transfer.handle());
  if (transfers_.empty()) arm(idle_timer_, kIdleTime, &CurlClient::close_when_idle);
  transfer.report(code);
}

void CurlClient::on_ready(const epoll_event* first, int count) {
  inside_curl_ = true;
  for (const epoll_event* event = first; event != first + count; ++event) {
    const int what = ((event->events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                     ((event->events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                     ((event->events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
    act(event->data.fd, what);
  }
  inside_curl_ = false;
  settle();
}

// Soon means after this task, and no timer.
void CurlClient::wake_at(TimePoint due) {
  if (timer_set_to_ && *timer_set_to_ <= due) return;
  timer_set_to_ = due;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - std::chrono::steady_clock::now());
  if (left.count() > 0) return arm(timer_, left, &CurlClient::on_timer);
  timer_.cancel();
  boost::asio::post(timer_.get_executor(), [self = self_] {
    if (*self != nullptr) (*self)->on_timer();
  });
}

void CurlClient::on_timer() {
  timer_set_to_.reset();
  if (!due_) return;
  if (*due_ > std::chrono::steady_clock::now()) return wake_at(*due_);
  due_.reset();
  on_timeout();
}

void CurlClient::on_timeout() {
  inside_curl_ = true;
  act(CURL_SOCKET_TIMEOUT, 0);
  inside_curl_ = false;
  settle();
}

void CurlClient::act(curl_socket_t fd, int what) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, what, &running);
  keep_connections(running);
}

// What could not be done inside libcurl, and who is to hear of an end.
void CurlClient::settle() {
  while (!to_cancel_.empty()) end(*to_cancel_.back(), CURLE_ABORTED_BY_CALLBACK);
  for (CurlTransfer* transfer : std::exchange(to_add_, {})) add(*transfer);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg == CURLMSG_DONE) end(*CurlTransfer::of(message->easy_handle), message->data.result);
  }
}

void CurlClient::arm(ContextTimer& timer, std::chrono::milliseconds delay, void (CurlClient::*due)()) {
  timer.expires_after(delay);
  timer.async_wait([self = self_, due](const boost::system::error_code& error) {
    if (*self != nullptr && !error) ((*self)->*due)();
  });
}

void CurlClient::close_when_idle() {
  if (!transfers_.empty()) return;
  close_multi();
  open_multi();
}

int CurlClient::watch_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  auto& sockets = *static_cast<CurlClient*>(self)->sockets_;
  if (what == CURL_POLL_REMOVE) {
    sockets.forget(fd);
  } else {
    sockets.watch(fd, (what != CURL_POLL_OUT ? EPOLLIN : 0u) | (what != CURL_POLL_IN ? EPOLLOUT : 0u));
  }
  return 0;
}

int CurlClient::set_timer(CURLM*, long delay_ms, void* self) {
  auto& client = *static_cast<CurlClient*>(self);
  client.due_.reset();
  if (delay_ms < 0) return 0;
  client.due_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(delay_ms);
  client.wake_at(*client.due_);
  return 0;
}

}  // namespace

Result<std::unique_ptr<HttpClient>> make_curl_client(boost::asio::io_context& context, const Limits& limits,
                                                     std::size_t connections_max) {
  auto client = std::make_unique<CurlClient>(context, limits, connections_max);
  if (auto opened = client->open(context); !opened) return fail(opened.error());
  return client;
}

}  // namespace braidlog
