import { packageManager } from './projectFile.ts'
import type { SuggestedMessage } from '../../shared/agent/promptCommands.ts'

/** A change that the sample folder is made for. */
export type SampleChange = 'rename' | 'correct'

/** Input of the suggestions. All paths are relative to the folder. */
export interface FolderFacts {
  /** Names of the entries in the root. Folders end with `/`. */
  entries: readonly string[]
  /** Text of `package.json` in the root, if present. */
  packageJson?: string
  /** The first open to-do comment. */
  todo?: { path: string; line: number }
  /** Number of uncommitted changes. */
  changes: number
  /** Changes of the sample folder that are still to be made. */
  sample?: readonly SampleChange[]
}

/** Maximum number of suggestions. */
const maxMessages = 4

const sampleMessages: Readonly<Record<SampleChange, SuggestedMessage>> = {
  // A model of 135 million parameters can make this one.
  rename: { icon: 'edit', text: 'Change name to harbour-shop in package.json.', changes: true },
  correct: {
    icon: 'bug',
    text: 'A test in test/prices.test.js fails. Find the fault and correct it.',
    changes: true,
  },
}

/** Files that imply the project's test command. */
const testCommands: readonly (readonly [file: string, command: string])[] = [
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['pyproject.toml', 'pytest'],
  ['pytest.ini', 'pytest'],
  ['Gemfile', 'bundle exec rake test'],
  ['mix.exs', 'mix test'],
  ['pom.xml', 'mvn test'],
  ['build.gradle', './gradlew test'],
  ['build.gradle.kts', './gradlew test'],
]

/** Suggests first messages for a folder: at most four, the most specific first. */
export function suggestedMessages(facts: FolderFacts): SuggestedMessage[] {
  const { entries, todo, changes, sample = [] } = facts
  if (entries.filter((name) => !name.startsWith('.')).length === 0)
    return [
      { icon: 'file-code', text: 'Create a small web page with a clock, in one file', changes: true },
      { icon: 'beaker', text: 'Start a project with one function and a test for it', changes: true },
    ]
  const command = testCommand(facts)
  const messages: SuggestedMessage[] = [
    ...sample.map((change) => sampleMessages[change]),
    ...(changes > 0
      ? [{ icon: 'git-commit', text: 'Review my uncommitted changes and suggest a commit message' }]
      : []),
    ...(command ? [{ icon: 'beaker', text: `Run the tests with \`${command}\` and explain what fails` }] : []),
    ...(todo
      ? [
          {
            icon: 'checklist',
            text: `Resolve the to-do comment in ${todo.path}, line ${todo.line}`,
            changes: true as const,
          },
        ]
      : []),
    { icon: 'list-tree', text: 'Explain what this project does and how its folders fit together' },
    {
      icon: command ? 'comment' : 'beaker',
      text: command
        ? 'Add a comment to the function that is hardest to understand'
        : 'Write a first test for the most important function',
      changes: true as const,
    },
    { icon: 'search', text: 'Find where errors are handled and what is missing' },
    ...(entries.some((name) => /^readme/i.test(name))
      ? []
      : [{ icon: 'book', text: 'Write a README.md that explains how to use this project', changes: true as const }]),
  ]
  return messages.slice(0, maxMessages)
}

/** Returns the command that runs the project's tests; undefined if no file in the root implies one. */
function testCommand({ entries, packageJson }: FolderFacts): string | undefined {
  if (packageJson !== undefined && hasTestScript(packageJson)) {
    const manager = packageManager(entries)
    return manager === 'bun' ? 'bun run test' : `${manager} test`
  }
  return testCommands.find(([file]) => entries.includes(file))?.[1]
}

/** `npm init` writes a test script that only fails. */
function hasTestScript(packageJson: string): boolean {
  try {
    const test: unknown = (JSON.parse(packageJson) as { scripts?: { test?: unknown } } | null)?.scripts?.test
    return typeof test === 'string' && test !== '' && !test.includes('no test specified')
  } catch {
    // A broken package.json names no tests.
    return false
  }
}
