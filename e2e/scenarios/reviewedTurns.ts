import { call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** Text of `list.txt` with some of its lines replaced. */
export const listText = (change: Record<string, string> = {}): string =>
  numbers.map((line) => `${change[line] ?? line}\n`).join('')

const edit = (prompt: RegExp, change: Record<string, string>, said: string) => ({
  prompt,
  steps: [step('edit', call('write_file', { path: 'list.txt', content: listText(change) })), step('tell', say(said))],
})

/** Program of a server that creates a file. */
export const fileServer = `import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'files', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'write', inputSchema: { type: 'object', properties: {} } }] }),
  'tools/call': () => {
    writeFileSync('by server.txt', 'made\\n')
    return { content: [{ type: 'text', text: 'done' }] }
  },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }))
})
`

const rearrange = [
  'mv notes/old.md notes/new.md',
  'rm gone.txt',
  'chmod 755 run.sh',
  String.raw`printf '\000\001\002' > logo.bin`,
  "printf 'made\\n' > made.txt",
  "sed -i 's/two/TWO/; s/nine/NINE/' list.txt",
].join(' && ')

/** Turns that change the same file, and changes of every kind by a command and by an MCP server. */
export const reviewedTurns: Scenario = {
  name: 'reviewed-turns',
  turns: [
    edit(/^First/, { two: 'TWO' }, 'The second line is loud.'),
    edit(/^Second/, { two: 'TWO', nine: 'NINE' }, 'The ninth line is loud.'),
    edit(/^Third/, { two: 'ZWEI', nine: 'NINE' }, 'The second line is German.'),
    {
      prompt: /^Replace on disk/,
      steps: [
        step('command', call('run_command', { command: "sed -i 's/five/CINQ/' list.txt" })),
        step('tell', say('Replaced.')),
      ],
    },
    {
      prompt: /^Rearrange/,
      steps: [step('command', call('run_command', { command: rearrange })), step('tell', say('Rearranged.'))],
    },
    {
      prompt: /^Use the server/,
      steps: [step('server', call('files__write', {})), step('tell', say('The server is done.'))],
    },
  ],
}
