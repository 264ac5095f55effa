// A model that answers with many small pieces: chat completions on loopback, as fast as they are read.
import {createServer} from 'node:http';

const words = [' the', ' river', ' runs', ' down', ' from', ' its', ' spring,', ' slowly'];

const chunk = (rest) => `data: ${JSON.stringify({id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'long', ...rest})}\n\n`;
const piece = (delta, finish_reason = null) => chunk({choices: [{index: 0, delta, finish_reason}]});

// `url` is what an agent file names as base_url.
export async function longModel(pieces) {
  const server = createServer(async (request, reply) => {
    request.resume();
    reply.writeHead(200, {'Content-Type': 'text/event-stream'});
    reply.write(piece({role: 'assistant', content: ''}));
    for (let sent = 0; sent < pieces;) {
      let batch = '';
      for (let i = 0; i < 500 && sent < pieces; ++i, ++sent) batch += piece({content: words[sent % words.length]});
      if (!reply.write(batch)) await new Promise((resolve) => reply.once('drain', resolve));
    }
    reply.end(`${piece({}, 'stop')}${chunk({choices: [], usage: {prompt_tokens: 12, completion_tokens: pieces, total_tokens: pieces + 12}})}data: [DONE]\n\n`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close()};
}
