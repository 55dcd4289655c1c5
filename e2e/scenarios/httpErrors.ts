import { answer, say, type HttpReply, type Scenario } from '../../src/main/model/scripted/scenario.ts'

const replies: Record<string, HttpReply> = {
  'server error': {
    status: 500,
    body: JSON.stringify({ error: { message: 'the scripted server fell over', type: 'server_error' } }),
  },
  'no tools': {
    status: 400,
    body: JSON.stringify({ error: { message: 'registry.ollama.ai/library/scripted:latest does not support tools' } }),
  },
  'too long': {
    status: 400,
    body: JSON.stringify({
      error: { message: 'the request exceeds the available context size', type: 'exceed_context_size_error' },
    }),
  },
  'no model': {
    status: 404,
    body: JSON.stringify({ error: { message: "model 'scripted' not found", type: 'not_found_error' } }),
  },
  'web page': {
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>A web server</title>',
  },
  loading: {
    status: 503,
    headers: { 'retry-after': '1' },
    body: JSON.stringify({ error: { message: 'Loading model', type: 'unavailable_error', code: 503 } }),
  },
}

/** The prompt names the failure (the keys above); a second attempt at the same prompt succeeds. */
export const httpErrors: Scenario = {
  name: 'http-errors',
  turns: Object.entries(replies).map(([name, reply]) => ({
    prompt: new RegExp(name, 'i'),
    steps: [{ title: name, play: ({ attempt }) => (attempt === 0 ? reply : answer(say(`Recovered from: ${name}.`))) }],
  })),
}
