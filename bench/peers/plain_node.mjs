// What one writes in Node without a framework: call the upstream, parse its stream, send an event per token. No log.
//
//   node plain_node.mjs PORT UPSTREAM_PORT
import http from "node:http";

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 1000 });

http
  .createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece) => (body += piece));
    request.on("end", () => complete(JSON.parse(body), response));
  })
  .listen({ port, host: "127.0.0.1", backlog: 4096 }, () => console.log(`listening ${port}`));

function complete({ model, messages }, response) {
  const body = JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const options = { agent, host: "127.0.0.1", port: upstreamPort, path: "/v1/chat/completions", method: "POST", headers };
  const call = http.request(options, (stream) => relay(stream, response));
  call.on("error", () => response.destroy());
  response.on("close", () => response.writableFinished || call.destroy());
  call.end(body);
}

function relay(stream, response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let rest = "";
  let id = 0;
  stream.setEncoding("utf8");
  stream.on("data", (piece) => {
    const events = (rest + piece).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event.slice("data: ".length);
      if (data === "[DONE]") continue;
      const text = JSON.parse(data).choices[0]?.delta.content;
      if (text) response.write(`event: assistant_delta\nid: ${++id}\ndata: ${JSON.stringify({ id, text })}\n\n`);
    }
  });
  stream.on("end", () => response.end("data: [DONE]\n\n"));
  stream.on("error", () => response.destroy());
}
