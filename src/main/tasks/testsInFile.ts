import type { FoundTest } from '../../shared/commands/tasks.ts'
import { hasHiddenCharacters } from '../../shared/text/visibleText.ts'
import { quoteWord } from '../base/quoteWord.ts'

/** A test in a text. */
interface TestPlace {
  name: string
  line: number
}

/** How to find and run tests in a language. */
interface TestLanguage {
  files: RegExp
  find(lines: readonly string[]): TestPlace[]
  /** Command line for one test; undefined if the project has no known runner. */
  command(path: string, test: TestPlace, project: TestProject): string | undefined
}

/** Determines the runner of a project. */
export interface TestProject {
  /** Text of `package.json` in the root; '' without one. */
  packageJson: string
  packageManager: 'npm' | 'pnpm' | 'yarn' | 'bun'
}

/** Maximum tests per file. */
const maxTests = 2000

/** Finds the tests in a file, with the command that runs each alone. Empty if the language or runner is unknown. */
export function testsInFile(path: string, text: string, project: TestProject): FoundTest[] {
  const language = testLanguages.find(({ files }) => files.test(path))
  if (!language) return []
  return language
    .find(text.split('\n'))
    .slice(0, maxTests)
    .flatMap((test) => {
      const command = language.command(path, test, project)
      return command === undefined || /\p{Cc}/u.test(command) || hasHiddenCharacters(command)
        ? []
        : [{ ...test, command }]
    })
}

/** Returns a finder for lines that match; group 1 is the name. */
const matching =
  (expression: RegExp) =>
  (lines: readonly string[]): TestPlace[] =>
    lines.flatMap((text, index) => {
      const [, name] = expression.exec(text) ?? []
      return name === undefined ? [] : [{ name, line: index + 1 }]
    })

const testLanguages: readonly TestLanguage[] = [
  {
    files: /\.(?:test|spec)\.[cm]?[jt]sx?$/,
    find: scriptTests,
    command: scriptCommand,
  },
  {
    files: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/,
    find: pythonTests,
    command: (path, { name }) => `pytest ${quoteWord(`${path}::${name}`)}`,
  },
  {
    files: /_test\.go$/,
    find: matching(/^func (Test[A-Z_]\w*)\(/),
    command: (path, { name }) => `go test -run ${quoteWord(`^${name}$`)} ./${quoteWord(folderOf(path))}`,
  },
  {
    files: /\.rs$/,
    find: rustTests,
    command: (_path, { name }) => `cargo test ${quoteWord(name)}`,
  },
]

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Calls of `it` and `test` whose title is a plain string. */
function scriptTests(lines: readonly string[]): TestPlace[] {
  return lines.flatMap((text, index) => {
    const [, single, double, template] =
      /^[ \t]*(?:it|test)(?:\.(?:only|skip|concurrent))?\((?:'([^'\\]+)'|"([^"\\]+)"|`([^`\\$]+)`)/.exec(text) ?? []
    const name = single ?? double ?? template
    return name === undefined ? [] : [{ name, line: index + 1 }]
  })
}

/** Runs a test with the runner among the dependencies, or with Node's own if its test module is imported. */
function scriptCommand(
  path: string,
  { name }: TestPlace,
  { packageJson, packageManager }: TestProject,
): string | undefined {
  const execute = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn exec', bun: 'bunx' }[packageManager]
  const pattern = quoteWord(name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const file = quoteWord(path)
  if (packageJson.includes('"vitest"')) return `${execute} vitest run ${file} -t ${pattern}`
  if (packageJson.includes('"jest"')) return `${execute} jest ${file} -t ${pattern}`
  if (packageJson.includes('"@playwright/test"')) return `${execute} playwright test ${file} -g ${pattern}`
  if (packageJson.includes('"mocha"')) return `${execute} mocha ${file} -g ${pattern}`
  if (packageJson.includes('node --test')) return `node --test --test-name-pattern ${pattern} ${file}`
  return undefined
}

/** Functions, and methods of the enclosing class. */
function pythonTests(lines: readonly string[]): TestPlace[] {
  let owner = ''
  return lines.flatMap((text, index) => {
    const [, type] = /^class (Test\w*)/.exec(text) ?? []
    if (type !== undefined) owner = type
    else if (/^\S/.test(text) && !text.startsWith('@')) owner = ''
    const [, indent = '', name] = /^([ \t]*)(?:async )?def (test\w*)\(/.exec(text) ?? []
    if (name === undefined) return []
    return [{ name: indent !== '' && owner !== '' ? `${owner}::${name}` : name, line: index + 1 }]
  })
}

/** Functions after a `#[test]` attribute, possibly with other attributes in between. */
function rustTests(lines: readonly string[]): TestPlace[] {
  let marked = false
  return lines.flatMap((text, index) => {
    if (/^[ \t]*#\[(?:\w+::)*test\b/.test(text)) marked = true
    const [, name] = /^[ \t]*(?:pub )?(?:async )?fn (\w+)/.exec(text) ?? []
    if (name === undefined) return []
    const found = marked
    marked = false
    return found ? [{ name, line: index + 1 }] : []
  })
}
