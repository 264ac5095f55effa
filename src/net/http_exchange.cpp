#include "net/http_exchange.h"

#include <utility>

#include "net/connection_shard.h"
#include "net/server_context.h"

namespace braidlog {

namespace {

// `value = {}` would keep the memory of a string or a vector.
template <class T>
void give_back(T& value) {
  value = T();
}

}  // namespace

HttpExchange::HttpExchange(std::shared_ptr<ServerContext> context, std::shared_ptr<HttpConnection> connection,
                           Loop& loop, HttpRequest request)
    : context_(std::move(context)),
      connection_(std::move(connection)),
      loop_(&loop),
      peer_(connection_->peer()),
      request_(std::move(request)) {}

HttpExchange::~HttpExchange() = default;

void HttpExchange::on_gone(Task task) {
  if (connection_) {
    on_gone_ = std::move(task);
  } else if (is_unanswered_) {
    loop_->post(std::move(task));
  }
}

// The calls that may end the exchange hold the connection themselves: it may let go of everything meanwhile.
void HttpExchange::respond(HttpResponse response) {
  is_unanswered_ = false;
  if (const auto connection = connection_) connection->respond(std::move(response));
}

void HttpExchange::move_to(unsigned loop_index, Task then) {
  BRAIDLOG_CHECK(loop_index < context_->shards.size());
  if (const auto connection = connection_) {
    connection->move_to(loop_index, std::move(then));
    return;
  }
  loop_ = &context_->shards[loop_index]->thread();
  loop_->post(std::move(then));
}

void HttpExchange::begin_stream(HttpResponse head, std::string_view silence, std::string_view first,
                                StreamObserver& observer) {
  if (const auto connection = connection_) {
    connection->begin_stream(std::move(head), silence, first, observer);
    return;
  }
  if (!std::exchange(is_unanswered_, false)) return;
  late_observer_ = &observer;
  loop_->post([self = shared_from_this()] {
    if (auto* const late = std::exchange(self->late_observer_, nullptr)) late->on_closed();
  });
}

void HttpExchange::send(std::string_view bytes) {
  if (connection_) connection_->send(bytes);
}

std::size_t HttpExchange::unsent_bytes() const {
  return connection_ ? connection_->unsent_bytes() : 0;
}

void HttpExchange::finish() {
  finish_with({});
}

void HttpExchange::finish_with(std::string_view bytes) {
  late_observer_ = nullptr;
  if (const auto connection = connection_) connection->finish(bytes);
}

void HttpExchange::abort() {
  late_observer_ = nullptr;
  if (const auto connection = connection_) connection->abort();
}

Task HttpExchange::cut_loose() {
  connection_.reset();
  return std::move(on_gone_);
}

Task HttpExchange::cut_loose_unanswered() {
  is_unanswered_ = true;
  return cut_loose();
}

void HttpExchange::shrink_request() {
  give_back(request_.headers);
  give_back(request_.query);
  give_back(request_.body);
  on_gone_ = nullptr;
}

}  // namespace braidlog
