// A server of the modern era in a few lines, with the SDK that people write them with. --http PORTFILE: over HTTP.
import { createServer } from "node:http";
import { McpServer, createMcpHandler, fromJsonSchema } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const numbers = fromJsonSchema({
  type: "object", required: ["a", "b"], properties: { a: { type: "number" }, b: { type: "number" } },
});

function make() {
  const server = new McpServer({ name: "modern", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool("add", { description: "Adds two numbers", inputSchema: numbers },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
  server.registerTool("fail", { description: "Always fails" }, async () => { throw new Error("no luck"); });
  return server;
}

if (process.argv[2] === "--http") {
  const handler = createMcpHandler(make, { legacy: "reject" });
  const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const closed = new AbortController();
    response.on("close", () => closed.abort());
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, {
      method: request.method, headers: request.headers, signal: closed.signal,
      body: request.method === "POST" ? Buffer.concat(chunks) : undefined,
    }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  http.listen(0, "127.0.0.1", () => console.log(http.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
} else {
  serveStdio(make, { legacy: "reject" });
}
