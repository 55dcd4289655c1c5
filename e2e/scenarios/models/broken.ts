import { done, sse, type Recording } from './recording.ts'

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const fragment = (fields: object) => chunk({ tool_calls: [fields] })
const call = (index: number | undefined, id: string | undefined, name: string, args: string) =>
  fragment({
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name, arguments: args },
  })
const end = chunk({}, 'tool_calls')
const two = [
  { name: 'read_file', arguments: { path: 'a' } },
  { name: 'list_dir', arguments: {} },
]
const server = 'malformed responses'
const source = 'own, after reports on the servers above'

/** Malformed responses. Each is used as far as possible, or reported as an error. */
export const broken: Recording[] = [
  {
    server,
    source,
    protocol: 'openai',
    shape: 'call indexes with gaps',
    body: sse(call(3, 'x', 'read_file', '{"path":"a"}'), call(9, 'y', 'list_dir', '{}'), end, done),
    expected: { calls: two, finish: 'tool_calls' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'every call has index 0',
    body: sse(call(0, 'x', 'read_file', '{"path":"a"}'), call(0, 'y', 'list_dir', '{}'), end, done),
    expected: { calls: two, finish: 'tool_calls' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'no indexes',
    body: sse(call(undefined, 'x', 'read_file', '{"path":"a"}'), call(undefined, 'y', 'list_dir', '{}'), end, done),
    expected: { calls: two, finish: 'tool_calls' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'one id for two calls',
    body: sse(call(0, 'x', 'read_file', '{"path":"a"}'), call(1, 'x', 'list_dir', '{}'), end, done),
    expected: { calls: two, finish: 'tool_calls' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'no ids',
    body: sse(call(0, undefined, 'read_file', '{"path":"a"}'), call(1, undefined, 'list_dir', '{}'), end, done),
    expected: { calls: two, finish: 'tool_calls' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'two [DONE]',
    body: sse(chunk({ content: 'Yes.' }), chunk({}, 'stop'), done, done),
    expected: { text: 'Yes.', finish: 'stop' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'no finish reason, but [DONE]',
    body: sse(chunk({ content: 'Yes.' }), done),
    expected: { text: 'Yes.', finish: 'stop' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'a finish reason, but no [DONE]',
    body: sse(chunk({ content: 'Yes.' }), chunk({}, 'stop')),
    expected: { text: 'Yes.', finish: 'stop' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'neither finish reason nor [DONE]',
    body: sse(chunk({ content: 'Yes.' })),
    expected: { text: 'Yes.', error: 'cut_off' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'half a line',
    body: `${sse(chunk({ content: 'Yes.' }))}data: {"choices":[{"del`,
    expected: { text: 'Yes.', error: 'bad_response' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'NUL bytes',
    body: sse(chunk({ content: 'Y\0es.' }), call(0, 'x', 'list_dir', '{\0}'), end, done),
    expected: { text: 'Yes.', calls: [{ id: 'x', name: 'list_dir', arguments: {} }], finish: 'tool_calls' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'HTML with status 200',
    contentType: 'text/html',
    body: '<!doctype html><title>Router</title>',
    expected: { error: 'bad_response' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'HTML with the content type of a stream',
    body: '<!doctype html>\n<title>Router</title>\n',
    expected: { error: 'cut_off' },
  },
  { server, source, protocol: 'openai', shape: 'an empty response', body: '', expected: { error: 'cut_off' } },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'JSON that is not an answer',
    body: sse('[1]'),
    expected: { error: 'bad_response' },
  },
  {
    server,
    source,
    protocol: 'openai',
    shape: 'CR LF line endings, comments and unknown fields',
    body: `: hello\r\n\r\nid: 7\r\nretry: 1\r\nflavour: x\r\ndata: ${JSON.stringify(chunk({ content: 'Yes.' }, 'stop'))}\r\n\r\ndata: [DONE]\r\n\r\n`,
    expected: { text: 'Yes.', finish: 'stop' },
  },
  {
    server,
    source,
    protocol: 'ollama',
    shape: 'a stream without its last line',
    body: `${JSON.stringify({ message: { role: 'assistant', content: 'Yes.' }, done: false })}\n`,
    expected: { text: 'Yes.', error: 'cut_off' },
  },
  {
    server,
    source,
    protocol: 'ollama',
    shape: 'half a line',
    body: '{"message":{"role":"assist',
    expected: { error: 'bad_response' },
  },
  {
    server,
    source,
    protocol: 'ollama',
    shape: 'HTML',
    contentType: 'text/html',
    body: '<html></html>',
    expected: { error: 'bad_response' },
  },
]
