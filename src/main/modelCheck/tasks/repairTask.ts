import { randomNumbers } from './random.ts'
import type { CheckTask, TaskFile } from './checkTask.ts'

/** The command that runs the tests of the package. */
const testCommand = 'node --test'

export const repairPrompt =
  'The tests of this package fail. Repair the sources so that every test passes, and do not change the tests.'

const nouns = [
  'ledger',
  'harbour',
  'orchard',
  'lantern',
  'quarry',
  'meadow',
  'compass',
  'anchor',
  'saddle',
  'kettle',
  'ribbon',
  'marble',
]
const verbs = ['weigh', 'blend', 'carve', 'fold', 'gather', 'mend', 'polish', 'sift', 'tally', 'trim', 'weave', 'wind']
interface Fault {
  /** The correct result as an expression of the parameters `a` and `b`. */
  right: string
  wrong: string
  value(a: number, b: number): number
}
const faults: readonly Fault[] = [
  { right: 'a - (a * b) / 100', wrong: 'a - b', value: (a, b) => a - (a * b) / 100 },
  { right: 'Math.max(a, b) * 2', wrong: 'Math.min(a, b) * 2', value: (a, b) => Math.max(a, b) * 2 },
  { right: 'a * 60 + b', wrong: 'a * 100 + b', value: (a, b) => a * 60 + b },
  { right: '(a + b) / 2', wrong: 'a + b / 2', value: (a, b) => (a + b) / 2 },
]
/** Number of correct functions around each fault, so that a file fills much of a small context. */
const fillers = 28

/**
 * Creates the repair task: a small package with one fault in each module and a test for it. Names depend on the seed, so
 * that a scripted model cannot use a fixed answer.
 */
export function repairTask(seed: number): CheckTask {
  return {
    step: 'repair',
    prompt: repairPrompt,
    files: packageFiles(seed),
    // `npm test` and single test files too. Without characters that have a meaning in a shell.
    allowedCommands: /^(?:node --test|npm(?: run)? test|npm t)(?: (?:--silent|[\w./-]{1,100})){0,10}$/,
    needs: 'node',
    async problem(run) {
      // Restores the tests, which the model may have changed.
      await run.restore(['package.json', 'test/'])
      return (await run.succeeds(testCommand)) ? undefined : { note: 'Some tests still fail.' }
    },
  }
}

function packageFiles(seed: number): TaskFile[] {
  const random = randomNumbers(seed)
  const pick = (words: string[]): string => words.splice(Math.floor(random() * words.length), 1)[0] ?? 'thing'
  const free = { nouns: [...nouns], verbs: [...verbs] }
  return [
    [
      'package.json',
      `${JSON.stringify({ name: pick([...free.nouns]), private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
    ],
    // With it, the TypeScript server checks the sources.
    ['jsconfig.json', '{ "compilerOptions": { "checkJs": true, "module": "nodenext", "strict": false } }\n'],
    ...faults.flatMap((fault): TaskFile[] => {
      const module = pick(free.nouns)
      const name = `${pick(free.verbs)}${module.charAt(0).toUpperCase()}${module.slice(1)}`
      const inputs = [Math.ceil(random() * 90) + 110, Math.ceil(random() * 40) + 5] as const
      return [
        [`src/${module}.js`, source(name, fault, random)],
        [`test/${module}.test.js`, testOf(module, name, fault.value(...inputs), inputs)],
      ]
    }),
  ]
}

function source(name: string, { right, wrong }: Fault, random: () => number): string {
  const around = Array.from({ length: fillers }, (_, index) => {
    const factor = Math.ceil(random() * 90) + 3
    return `/** Step ${index} of the long way through the books, as it was agreed: ${factor} times the first number, and the second on top of that. */\nexport function step${index}(a, b) {\n  return a * ${factor} + b\n}`
  })
  const faulty = `/** Gives ${right}. */\nexport function ${name}(a, b) {\n  return ${wrong}\n}`
  around.splice(Math.floor(random() * fillers), 0, faulty)
  return `${around.join('\n\n')}\n`
}

function testOf(module: string, name: string, expected: number, [a, b]: readonly [number, number]): string {
  return [
    "import assert from 'node:assert/strict'",
    "import { test } from 'node:test'",
    `import { ${name} } from '../src/${module}.js'`,
    '',
    `test('${name} gives what its comment says', () => {`,
    `  assert.equal(${name}(${a}, ${b}), ${expected})`,
    '})',
    '',
  ].join('\n')
}
