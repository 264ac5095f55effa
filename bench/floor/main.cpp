// The floor under every figure: a server that answers each request with the same pre-made frames in one write. It does
// no work of its own, so what it costs is what the kernel takes for a run's bytes.
//
//   floor --core 0 --tokens 200
//
// prints "listening PORT" and serves until it is killed.
#include <cstdio>
#include <memory>
#include <string>

#include "wire/flags.h"
#include "wire/http_server.h"
#include "wire/socket.h"

namespace {

// As large as the frames of the runs contract, so that the floor carries the same bytes.
std::string frame(std::string_view type, std::string_view payload) {
  constexpr std::string_view kEventId = "evt_01M7FM8Y1YE7FSSCTXA5AG30ZX_0000000002";
  std::string out = "event: ";
  out.append(type).append("\nid: ").append(kEventId).append("\ndata: {\"event_id\":\"").append(kEventId);
  out.append("\",\"session_id\":\"sess_01M7FM8Y1FEA28EQRQ736X9QB9\",\"run_id\":\"run_01M7FM8Y1YE7FSSCTXA5AG30ZX\"");
  out.append(",\"type\":\"").append(type).append("\",\"ts\":\"2026-11-15T12:52:48.833Z\",\"payload\":").append(payload);
  return out.append("}\n\n");
}

std::string whole_run(std::uint64_t tokens) {
  std::string frames = frame("run_started", R"({"status":"running"})");
  for (std::uint64_t i = 0; i < tokens; ++i) frames += frame("assistant_delta", R"({"text":" word"})");
  frames += "data: [DONE]\n\n";
  return std::string(bench::event_stream_head()) + bench::chunk(frames) + bench::chunk("");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Flags flags(argc, argv);
  bench::raise_descriptor_limit();
  if (flags.has("core")) bench::pin_to_core(static_cast<int>(flags.number("core")));

  const auto answer = std::make_shared<const std::string>(whole_run(flags.number("tokens", 200)));
  bench::Poller poller;
  bench::HttpServer server(poller, static_cast<std::uint16_t>(flags.number("port")),
                           [&](bench::ServerConnection& client, const bench::Request&) { client.send_shared(answer); });
  std::printf("listening %u\n", server.port());
  std::fflush(stdout);
  while (true) server.round(-1);
}
