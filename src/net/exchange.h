// One HTTP request and the way to answer it: what the net layer hands to the layer above, and how a response, or a
// stream, gets back to the socket.
//
// Runs on: the io thread of its connection, all of it. An Exchange is held by shared_ptr: its connection holds it
// while the request is open, and whoever answers later holds it too, so that an answer to a client that has gone is
// harmless. After the end of the response every call does nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/loop.h"
#include "base/unique_function.h"
#include "wire/http.h"

namespace braidlog {

// Hears what happens to a stream. Outlives the stream or is taken back with Exchange::finish() or abort().
class StreamObserver {
 public:
  virtual ~StreamObserver() = default;
  // Everything sent so far is with the kernel, after send() had left something over. Never from inside send().
  virtual void on_drained() = 0;
  // The client went away, or took nothing for the stall timeout. The stream is over; never from inside send().
  virtual void on_closed() = 0;
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  // Whole, body included. From begin_stream() on only id, method, target and path are left: an open stream is small.
  virtual const HttpRequest& request() const = 0;
  virtual Loop& loop() = 0;
  // Address of the peer, for the log and for limits.
  virtual std::string peer() const = 0;
  // The client went away before it was answered: called at most once, never after respond() or begin_stream(), and soon
  // when it has gone already.
  virtual void on_gone(Task task) = 0;

  // Answers and goes on with the connection's next request. Once, and not after begin_stream().
  virtual void respond(HttpResponse response) = 0;

  // Hands the connection to the io thread with that index and then runs `then` there: the exchange now belongs to
  // that thread. `then` runs also when the client has gone meanwhile; never from inside this call, also when the
  // exchange is on that thread already. Before respond() and begin_stream(), and nothing else is called until `then`.
  virtual void move_to(unsigned loop_index, Task then) = 0;

  // ---- streams: begin, send*, then finish or abort ----

  // Sends the head with chunked framing (HTTP/1.0: until close). `silence` is sent whenever nothing was sent for the
  // keepalive interval; it is static text. Head and `first` leave in the same write as what is sent or finished next,
  // and at the latest when this round of the loop is over. When the client has gone before, the observer hears
  // on_closed() soon.
  virtual void begin_stream(HttpResponse head, std::string_view silence, std::string_view first,
                            StreamObserver& observer) = 0;
  // Writes at once what the socket takes, in one system call; keeps a copy of the rest and writes it when it can.
  virtual void send(std::string_view bytes) = 0;
  // What send() had to keep. A caller that sends only while this is 0 needs no more than its last piece of memory.
  virtual std::size_t unsent_bytes() const = 0;
  // The clean end: the last chunk after what is unsent, then the next request. The observer hears nothing more.
  virtual void finish() = 0;
  // send() and finish() in one write.
  virtual void finish_with(std::string_view bytes) {
    send(bytes);
    finish();
  }
  // The unclean end: the connection is cut without a last chunk (reset, where the client could otherwise take the
  // stream for complete). The observer hears nothing more.
  virtual void abort() = 0;
};

// What the layer above says to a request's head, before any body is read.
struct TakeBody {
  std::size_t bytes_max = 0;
};  // more than this is answered 413 through transport_error()
// A response refuses; the connection then closes, unless the request has no body: there is nothing to skip then.
using HeadDecision = std::variant<TakeBody, HttpResponse>;

// Its functions are called on every io thread, at the same time.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual HeadDecision on_head(const HttpRequest& head) = 0;
  virtual void on_request(std::shared_ptr<Exchange> exchange) = 0;
  // Bodies of errors that the net layer finds: 400 broken request, 408 too slow, 413 body over its limit, 431 head
  // over its limit, 503 overload. `head` holds what was read of the request, as far as it was understood: nothing,
  // or method, target, path and query, or all but the body.
  virtual HttpResponse transport_error(int status, const HttpRequest& head) = 0;
};

}  // namespace braidlog
