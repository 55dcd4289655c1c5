import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The prompt for all models. */
export const taskPrompt =
  'The tests of this package fail. Repair the sources so that every test passes, and do not change the tests.'

export interface Task {
  root: string
  /** Runs the original tests in a new process. @returns whether they pass */
  solved(): Promise<boolean>
  remove(): Promise<void>
}

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
/** Number of correct functions around each fault, which make a file fill much of a small context. */
const fillers = 28

/**
 * Creates a small package with one fault in each module and a test for it. Names depend on the seed, so that a scripted
 * model cannot use a fixed answer.
 */
export async function makeTask(seed: number): Promise<Task> {
  const root = await mkdtemp(join(tmpdir(), 'tizona-small-model-'))
  const files = taskFiles(seed)
  for (const folder of ['src', 'test']) await mkdir(join(root, folder))
  for (const [path, text] of files) await writeFile(join(root, path), text)
  return {
    root,
    async solved() {
      // Restores the tests, which the model may have changed.
      for (const [path, text] of files) if (!path.startsWith('src/')) await writeFile(join(root, path), text)
      return testsPass(root)
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

function taskFiles(seed: number): [path: string, text: string][] {
  const random = generator(seed)
  const pick = (words: string[]): string => words.splice(Math.floor(random() * words.length), 1)[0] ?? 'thing'
  const free = { nouns: [...nouns], verbs: [...verbs] }
  return [
    [
      'package.json',
      `${JSON.stringify({ name: pick([...free.nouns]), private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
    ],
    // With it, the TypeScript server checks the sources.
    ['jsconfig.json', '{ "compilerOptions": { "checkJs": true, "module": "nodenext", "strict": false } }\n'],
    ...faults.flatMap((fault): [string, string][] => {
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

function testsPass(root: string): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, ['--test'], { cwd: root, env, timeout: 60_000 }, (error) => resolve(error === null))
  })
}

/** Creates a deterministic source of numbers in [0, 1) (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
