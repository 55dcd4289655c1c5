import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/**
 * Text of `src/users.ts` before and after the turn. It has three changes: one at the top, one in the middle, one at the
 * end.
 */
export const reviewedFile = {
  before: `// Keeps users.
export const limit = 10

export function add(name: string): void {
  users.push(name)
}

export function find(name: string): boolean {
  return users.includes(name)
}

const users: string[] = []
`,
  after: `// Keeps users.
export const limit = 20

export function add(name: string): void {
  if (users.length === limit) throw new Error('full')
  users.push(name)
}

export function find(name: string): boolean {
  return users.includes(name)
}

const users: string[] = ['Ada']
`,
}

/**
 * Turns whose changes are reviewed: edits of an open file, a command that changes files, and the answer to comments.
 */
export const reviewedEdits: Scenario = {
  name: 'reviewed-edits',
  turns: [
    {
      prompt: /^Limit the users/,
      steps: [
        step('edit', call('write_file', { path: 'src/users.ts', content: reviewedFile.after })),
        step('tell', say('The users are limited.')),
      ],
    },
    {
      prompt: /^Tidy up/,
      steps: [
        step(
          'command',
          call('run_command', { command: "rm old.md && printf 'made\\n' > made.txt && printf '# New\\n' > README.md" }),
        ),
        step('tell', say('Tidied up.')),
      ],
    },
    { prompt: /^Write a git commit message/, steps: [step('draft', say('Tidy the notes'))] },
    {
      prompt: /^Wait/,
      steps: [
        step('command', call('run_command', { command: 'touch started; while [ ! -e go ]; do sleep 0.05; done' })),
        { title: 'repeat', play: (seen) => answer(say(`The result: ${seen.result('run_command').text}`)) },
      ],
    },
    {
      prompt: /Review comments/,
      steps: [{ title: 'repeat', play: ({ prompt }) => answer(say(`You wrote: ${prompt}`)) }],
    },
  ],
}
