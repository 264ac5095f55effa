// The way to one MCP server and back: a process's pipes, or HTTP requests. A link carries messages; what they mean is
// the session's business. Runs on: the MCP thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tool/mcp/json_rpc.h"
#include "wire/http.h"

namespace braidlog::tool::mcp {

// Which of the protocol's two eras a server speaks, once that is known: the modern one has no handshake and no session.
enum class Era { kUnknown, kLegacy, kModern };

struct OutgoingMessage {
  std::string text;
  std::int64_t id = 0;                // of a request; 0: nothing answers it
  std::string method{};               // of a request
  std::string name{};                 // of the tool that is called
  std::string version{};              // of the protocol
  std::vector<HttpHeader> headers{};  // of HTTP: arguments that the tool's schema wants there
};

// Why a request will have no answer.
enum class Loss {
  kNotSent,      // the server never got it
  kRefused,      // it answered with an HTTP status and nothing that can be read
  kUnknown,      // it may have been done
  kTooLarge,     // it was answered, with more than we read
  kUnreadable,   // it was answered, with something that is no message
  kSessionGone,  // the server has forgotten us, and did nothing
  kTimeout,      // nobody answered in time
};

struct Lost {
  Loss loss = Loss::kUnknown;
  std::string why{};  // for the operator
  int status = 0;     // of HTTP, with kRefused
};

class LinkOwner {
 public:
  virtual ~LinkOwner() = default;
  virtual void on_message(RpcMessage message) = 0;
  virtual void on_lost(std::int64_t id, Lost lost) = 0;
  // The server is gone, and with it every request that has no answer yet. The last call; `why` is for the operator.
  virtual void on_down(std::string why) = 0;
};

class Link {
 public:
  // Ends the connection in the way the protocol asks for; the owner hears nothing more. Not from inside its calls to
  // the owner.
  virtual ~Link() = default;
  // None of these calls the owner before it returns.
  virtual void send(OutgoingMessage message) = 0;
  // Nobody waits for this answer any more. True: the server learns of that by this alone.
  virtual bool forget(std::int64_t id) = 0;
  // From now on.
  virtual void speak(Era era) = 0;
  // Legacy HTTP: opens the stream of what the server says on its own. Elsewhere that comes by itself.
  virtual void listen() = 0;
  // What the server said last on the side, for the operator; mostly nothing.
  virtual std::string last_words() const = 0;
};

}  // namespace braidlog::tool::mcp
