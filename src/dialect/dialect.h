// A dialect is the code of one contract: its routes (HTTP request -> command or query, result -> body), its
// projection (event -> frames) and its errors. It is pure: it sees values and returns values, and the server
// does the I/O. A handler answers with one of five things, and the server does what the answer says:
//
//   HttpResponse   send it
//   Ask            put this command to the api::Service, and go on with its result
//   OpenStream     send the run's events as this contract's frames
//   OpenWatch      send the events of many runs in one stream
//   AwaitRun       wait for the end of the run, and answer with what became of it
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/service.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/unique_function.h"
#include "dialect/event_id.h"
#include "dialect/projection.h"
#include "wire/http.h"

namespace braidlog {

// What the departure of this client means for the run.
enum class ViewerRole {
  kViewer,       // nothing: it only looks
  kClient,       // the run stops at once
  kMayComeBack,  // the run stops, unless somebody takes the place soon
  kTakesPlace,   // it takes the place of a kMayComeBack client, if the run has one; else it only looks
};

struct OpenStream {
  RunId run_id;
  std::string contract;          // whose projection; the name of a dialect
  std::optional<EventId> after;  // the client has everything up to here; none or of another run: from the start
  ViewerRole role = ViewerRole::kViewer;
};

// One stream for many runs (server/watch_stream.h). Who may see which run is found out when it is opened: a run that
// may not be seen is refused in the stream, and the others go on.
struct OpenWatch {
  struct Watch {
    std::string view;             // the name of a dialect whose frames have no `event:` line
    std::string run;              // as the frames name it
    std::optional<RunId> run_id;  // none: no run has that name
    std::optional<EventId> after;
  };
  std::vector<Watch> watches;
  bool notices = false;    // also what changes in the caller's runs
  bool everybody = false;  // for an admin: in all runs
};

// For requests that are answered when the run is over. `render` gets the run as its log tells it, and the messages of
// the session up to the run's end.
struct AwaitRun {
  RunId run_id;
  ViewerRole role = ViewerRole::kViewer;  // kViewer or kClient
  UniqueFunction<HttpResponse(const RunState&, const api::SessionView&)> render;
};

struct Ask;
using Answer = std::variant<HttpResponse, OpenStream, OpenWatch, AwaitRun, Ask>;

// One question to the service, with what to make of its reply. Built by ask().
struct Ask {
  UniqueFunction<void(api::Service&, const api::Caller&, UniqueFunction<void(Answer)>)> put;
};

// `return ask(api::GetRun{id}, [](Result<api::Run> run) -> Answer { … });`
template <class Command, class Then>
Answer ask(Command command, Then then);

// Where a request came from, as far as it can be trusted.
struct ClientInfo {
  std::string address;
  bool is_secure = false;  // over TLS, so says a trusted proxy
};

// What a handler gets: the request, what the pattern captured, the limits in force and who sent it.
struct RouteRequest {
  const HttpRequest& http;
  const std::vector<std::string>& captured;  // percent-decoded path parts, in order
  const Limits& limits;
  const ClientInfo& client;
};

// kUser: everybody whom the server knows, in --dev also who shows nothing. kCredential: a cookie or a key, always.
enum class Access { kOpen, kUser, kCredential, kAdmin };
// Which limit applies to the body; kNone: a body is read and dropped; kFiles: JSON or multipart with files in it.
enum class BodyRule { kNone, kJson, kUpload, kFiles };

// `pattern`: "/api/v1/runs/{}/stream"; "{}" takes one part of the path, "{*}" at the end takes the rest.
struct Route {
  Method method;
  std::string_view pattern;
  Access access = Access::kUser;
  BodyRule body = BodyRule::kNone;
  bool streams = false;  // answers with an event stream (HEAD is then 405, and the limits of streams apply)
  Answer (*handle)(const RouteRequest&) = nullptr;
  bool starts_run = false;  // a GET that does is guarded against other sites like a POST
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual std::string_view name() const = 0;
  virtual std::span<const Route> routes() const = 0;
  virtual std::unique_ptr<Projection> make_projection(RunId run_id) const = 0;
  // Marks the parts in the ids of this contract's frames (event_id.h); an id with another mark means the whole event.
  virtual char part_mark() const { return 0; }
  // The one place where an Error becomes this contract's status and body. Few contracts name the request in it.
  virtual HttpResponse error(const Error& error, RequestId request_id) const = 0;
  // True for paths whose unknown routes and methods are answered in this contract's shape.
  virtual bool owns_path(std::string_view path) const = 0;
};

// ---- implementation ----

template <class Command, class Then>
Answer ask(Command command, Then then) {
  using Value = typename Command::ReplyValue;
  return Ask{[command = std::move(command), then = std::move(then)](api::Service& service, const api::Caller& caller,
                                                                    UniqueFunction<void(Answer)> answer) mutable {
    service.handle(caller, std::move(command),
                   [then = std::move(then), answer = std::move(answer)](Result<Value> result) mutable {
                     answer(then(std::move(result)));
                   });
  }};
}

}  // namespace braidlog
