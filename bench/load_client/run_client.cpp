#include "load_client/run_client.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace bench {

namespace {

constexpr std::size_t kReadBytes = 256 * 1024;

}  // namespace

RunClient::RunClient(Poller& poller, const Target& target, Observer& observer)
    : poller_(poller), target_(target), observer_(observer) {}

RunClient::~RunClient() {
  disconnect();
}

void RunClient::make_session() {
  send(Step::kSessionAlone, target_.make_session());
}

void RunClient::start_run() {
  stream_ = {};
  if (target_.has_sessions()) return send(Step::kSession, target_.make_session());
  start_run_in({});
}

void RunClient::start_run_in(std::string_view session) {
  stream_ = {};
  send(target_.is_watched_apart() ? Step::kRun : Step::kStream, target_.start_run(session));
}

void RunClient::watch(std::string_view run) {
  stream_ = {};
  send(Step::kStream, target_.watch(run));
}

void RunClient::send(Step step, const std::string& request) {
  step_ = step;
  answer_.clear();
  splitter_.clear();
  request_ = request;
  if (!socket_) {
    socket_ = connect_to_loopback(target_.port);
    reader_.reset();
    poller_.add(socket_.fd(), *this, EPOLLIN | EPOLLOUT);
    return;
  }
  write_rest();
  if (!request_.empty()) poller_.change(socket_.fd(), *this, EPOLLIN | EPOLLOUT);
}

void RunClient::write_rest() {
  const ssize_t sent = ::send(socket_.fd(), request_.data(), request_.size(), MSG_NOSIGNAL);
  if (sent > 0) request_.erase(0, static_cast<std::size_t>(sent));
}

void RunClient::on_ready(std::uint32_t ready) {
  if ((ready & EPOLLOUT) != 0) {
    write_rest();
    if (request_.empty()) poller_.change(socket_.fd(), *this, EPOLLIN);
  }
  if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  static std::array<char, kReadBytes> buffer;
  const ssize_t got = ::recv(socket_.fd(), buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // A server may close a connection that nobody is using.
  if (got <= 0) return step_ == Step::kIdle ? disconnect() : fail("the connection broke");
  if (!reader_.feed({buffer.data(), static_cast<std::size_t>(got)})) fail("no HTTP response");
}

void RunClient::on_body(std::string_view piece) {
  if (step_ != Step::kStream || reader_.status() != 200) {
    answer_.append(piece);
    return;
  }
  stream_.bytes += piece.size();
  splitter_.feed(piece, [this](std::string_view frame) { on_frame(frame); });
}

void RunClient::on_frame(std::string_view frame) {
  if (frame.starts_with(':')) return;  // a keepalive
  ++stream_.frames;
  if (stream_.ended_well) stream_.fault = "a frame after the last one";
  stream_.ended_well = target_.is_good_end(frame);
  observer_.on_frame(*this, frame);
}

void RunClient::on_end() {
  if (reader_.status() < 200 || reader_.status() >= 300) {
    return fail("status " + std::to_string(reader_.status()) + ": " + answer_);
  }
  if (step_ == Step::kStream) return end_stream();
  take_answer();
}

void RunClient::take_answer() {
  if (step_ == Step::kRun) {
    run_ = text_at(answer_, "run_id");
    if (run_.empty()) return fail("no run_id: " + answer_);
    return send(Step::kStream, target_.watch(run_));
  }
  session_ = text_at(answer_, "session_id");
  if (session_.empty()) return fail("no session_id: " + answer_);
  if (step_ == Step::kSession) return start_run_in(session_);
  step_ = Step::kIdle;
  observer_.on_session(*this);
}

void RunClient::end_stream() {
  if (!stream_.ended_well) stream_.fault = "the stream ended without its last frame";
  if (target_.frames_per_run != 0 && stream_.frames != target_.frames_per_run) {
    stream_.fault = std::to_string(stream_.frames) + " frames, not " + std::to_string(target_.frames_per_run);
  }
  report();
}

void RunClient::fail(std::string fault) {
  disconnect();
  stream_.fault = std::move(fault);
  report();
}

void RunClient::report() {
  step_ = Step::kIdle;
  const Stream stream = std::exchange(stream_, {});
  observer_.on_end(*this, stream);
}

void RunClient::disconnect() {
  if (!socket_) return;
  poller_.remove(socket_.fd(), *this);
  socket_.close();
}

}  // namespace bench
