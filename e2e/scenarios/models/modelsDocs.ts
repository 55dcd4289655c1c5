import type { Expected, Recording } from './recording.ts'

/** docs/models.md: what was tested, and how. */
export function modelsDocs(recordings: readonly Recording[]): string {
  const servers = [...new Set(recordings.map(({ server }) => server))]
  return [
    '# Models and servers: what is tested, and how',
    'Written by `node scripts/docs.ts` from `e2e/scenarios/models`; a test fails where it is not what the set says.',
    '',
    'No real model ran for this table. Each row is an answer as its server sends it, rebuilt as data from the source that is named, and',
    'played to Tizona\'s own clients over HTTP: whole, byte by byte, and short ones split once at every byte. Each time the same must come out:',
    'text, thoughts, calls with their arguments, how it ended, or the failure that the user is told of. What a model does with its tools is',
    'another question; the benchmark "small model" asks it of scripted models with graded defects.',
    '',
    ...servers.flatMap((server) => section(server, recordings.filter((recording) => recording.server === server))),
    '## Known gaps',
    '- Marks are tokens of their own in many vocabularies, and servers may drop them. What is left of a call then is prose, and is not executed,',
    '  but for the forms listed above as "lost".',
    '- A dialect is read as its model card or a server\'s parser describes it. A server that invents one of its own is not recognised: its text is shown.',
    '- Functionary 3.2 leaves the first `>>>` to the prompt: an answer that begins with text then shows the word `all` in its first line.',
    '- Of LongCat, Apertus, OLMo 3, Granite 20B and GigaChat 3.5 the forms are those of the servers\' parsers; their makers\' own templates were not read.',
    '- What gpt-oss writes into a channel is shown when the channel ends, where a server hands the channels through.',
    '',
  ].join('\n')
}

function section(server: string, recordings: readonly Recording[]): string[] {
  const shapes = [...new Set(recordings.map(({ shape }) => shape))]
  const rows = shapes.flatMap((shape) => {
    const same = recordings.filter((recording) => recording.shape === shape)
    const [first] = same
    if (!first) return []
    const protocols = [...new Set(same.map(({ protocol }) => (protocol === 'ollama' ? '/api/chat' : '/v1')))].join(', ')
    return [`| ${shape} | ${protocols} | ${outcome(first.expected)} | ${first.source} |`]
  })
  return [`## ${server.charAt(0).toUpperCase()}${server.slice(1)}`, '| answer | protocol | becomes | source |', '|---|---|---|---|', ...rows, '']
}

function outcome({ text, reasoning, calls = [], finish, error }: Expected): string {
  const cut = calls.some((call) => typeof call.arguments === 'string')
  const parts = [
    reasoning && 'a thought',
    text && 'text',
    calls.length > 0 && `${calls.length === 1 ? 'a call' : `${calls.length} calls`}${cut ? ', refused as cut off' : ''}`,
    finish === 'length' && '"cut at the limit"',
    error && `failure \`${error}\``,
  ].filter(Boolean)
  return parts.join(', ') || 'nothing'
}
