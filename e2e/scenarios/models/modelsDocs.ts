import type { Expected, Recording } from './recording.ts'

/** docs/models.md: what was tested, and how. */
export function modelsDocs(recordings: readonly Recording[]): string {
  const servers = [...new Set(recordings.map(({ server }) => server))]
  return [
    '# Models and servers: what is tested, and how',
    'Written by `node scripts/docs.ts` from `e2e/scenarios/models`; a test fails where it is not what the set says.',
    '',
    'No real model ran for this table. Each row is an answer as its server sends it, rebuilt as data from the source that is named, and',
    "played to Tizona's own clients over HTTP: whole, byte by byte, and short ones split once at every byte. Each time the same must come out:",
    'text, thoughts, calls with their arguments, how it ended, or the failure that the user is told of. What a model does with its tools is',
    'another question; the benchmark "small model" asks it of scripted models with graded defects.',
    '',
    ...servers.flatMap((server) =>
      section(
        server,
        recordings.filter((recording) => recording.server === server),
      ),
    ),
    ...realServer,
    '## Known gaps',
    '- Marks are tokens of their own in many vocabularies, and servers may drop them. What is left of a call then is prose, and is not executed,',
    '  but for the forms listed above as "lost".',
    "- A dialect is read as its model card or a server's parser describes it. A server that invents one of its own is not recognised: its text is shown.",
    '- Functionary 3.2 leaves the first `>>>` to the prompt: an answer that begins with text then shows the word `all` in its first line.',
    "- Of LongCat, Apertus, OLMo 3, Granite 20B and GigaChat 3.5 the forms are those of the servers' parsers; their makers' own templates were not read.",
    '- What gpt-oss writes into a channel is shown when the channel ends, where a server hands the channels through.',
    '',
  ].join('\n')
}

/** What a real server answered, with random weights: only the request's way to the prompt and the grammar is of interest. */
const realServer = [
  '## Requests held against a real llama-server',
  'A llama-server of August 2026 was asked with the templates that it ships (`node bench/llama-server.ts`; a model with random weights): every',
  'toolset in full, schemas as hostile MCP servers write them, a history with two calls at once, an error and an answer, and a picture. Every schema was',
  'taken by its grammar parser. The picture was refused as it should be (`image input is not supported`). What its templates refused, word for word,',
  'is in `src/main/model/clients/requestCompat.test.ts`.',
  '',
  '| template | the history is taken |',
  '|---|---|',
  '| Qwen 2.5, Qwen3-Coder, Qwen 3.5, Gemma 4, DeepSeek R1 (Qwen 32B), Phi 3.5, Devstral Small, GLM 4.6, Functionary 3.2, Granite 4.0 | as it is |',
  '| Llama 3.1 | refused: "This model only supports single tool-calls at once!"; then one call a message |',
  '| Mistral Nemo | refused: "Tool call IDs should be alphanumeric strings with length 9!"; then such ids |',
  '| Gemma 2 | refused: "Conversation roles must alternate"; then in strict turns, with tools in the text |',
  '| gpt-oss | taken; random output is no harmony, which the server reports as "output that does not match the expected peg-native format" |',
  '',
  "The 29 templates of llama.cpp's models/templates of October 2025 were also rendered without a server (@huggingface/jinja), each with a question, one",
  'call, two calls, calls in a row with an error, and two questions in a row. 25 render all of them: 19 in the plain form; Llama 3.2 and 3.3 like Llama 3.1;',
  'Mistral Small 3.2 like Mistral Nemo; Gemma 2 in strict turns. The other four (Seed-OSS, Apertus, Functionary 3.2, Firefunction 2) use what that',
  'renderer does not know.',
  '',
]

function section(server: string, recordings: readonly Recording[]): string[] {
  const shapes = [...new Set(recordings.map(({ shape }) => shape))]
  const rows = shapes.flatMap((shape) => {
    const same = recordings.filter((recording) => recording.shape === shape)
    const [first] = same
    if (!first) return []
    const protocols = [...new Set(same.map(({ protocol }) => (protocol === 'ollama' ? '/api/chat' : '/v1')))].join(', ')
    return [`| ${shape} | ${protocols} | ${outcome(first.expected)} | ${first.source} |`]
  })
  return [
    `## ${server.charAt(0).toUpperCase()}${server.slice(1)}`,
    '| answer | protocol | becomes | source |',
    '|---|---|---|---|',
    ...rows,
    '',
  ]
}

function outcome({ text, reasoning, calls = [], finish, error }: Expected): string {
  const cut = calls.some((call) => typeof call.arguments === 'string')
  const parts = [
    reasoning && 'a thought',
    text && 'text',
    calls.length > 0 &&
      `${calls.length === 1 ? 'a call' : `${calls.length} calls`}${cut ? ', refused as cut off' : ''}`,
    finish === 'length' && '"cut at the limit"',
    error && `failure \`${error}\``,
  ].filter(Boolean)
  return parts.join(', ') || 'nothing'
}
