/**
 * Words of a command that can name a file of the folder. Those that can name a program of it are completed, and may have
 * wildcards. `$CLAUDE_PROJECT_DIR` is the folder.
 * @param options.runs whether a program of the command runs what a manifest of the folder names
 * @param options.completes which words can be a script without its ending. Default: those that the command starts
 */
export function possibleScripts(
  command: string,
  { runs = runsManifest, completes = 'started' }: { runs?: typeof runsManifest; completes?: Completes } = {},
): string[] {
  const local = localText(command)
  const plain = local.replaceAll(/["']/g, '')
  const started = startedWords(plain)
  const words = wordsOf(local)
  const scripts = completes === 'every' ? words : started
  const named = [
    ...started,
    ...words.filter((word) => !/[*?[]/.test(word)),
    ...scripts.filter((word) => completes !== 'startedPaths' || word.includes('/')).flatMap(completed),
    ...modulesOf(plain),
    ...(runs(plain) ? manifests : []),
  ].slice(0, maxNames)
  // A command can change its folder. Which words come before that is not known.
  const within = startFolders(plain).flatMap((folder) =>
    named.filter((word) => !word.startsWith('/')).map((word) => `${folder}/${word}`),
  )
  return [...new Set([...named, ...within])].slice(0, maxNames)
}

/** `startedPaths` are those of the started words that have a folder. */
type Completes = 'started' | 'startedPaths' | 'every'

/** Programs that start a file, or what is in a folder, and their words before it. */
const interpreters =
  /(?:^|\/)(?:node|nodejs|python[\d.]*|pypy[\d.]*|deno|bun|tsx|ts-node|ruby|perl|php|bash|sh|dash|zsh|source|\.|go|uv)(?:\.exe)?$/
const subcommands = /^(?:run|exec)$/
/** Options whose value is another word. */
const valued = /^(?:-[rIWX]|--(?:require|import|loader|experimental-loader|env-file|directory|cwd|config))$/
/** Words of the shell after which a command begins, and `NAME=value`. */
const beforeProgram = /^(?:if|then|else|elif|while|until|do|time|exec|command|env|sudo|nohup|[{!]|\w+=.*)$/

/** Words that a command starts: its programs, the first words after interpreters, and what `for … in` lists. */
function startedWords(plain: string): string[] {
  const words: string[] = []
  for (const line of plain.split(/[;|&()`\n]+/)) {
    const parts = line
      .split(/[\s<>]+/)
      .filter((word) => word !== '')
      .slice(0, maxNames)
    if (parts[0] === 'for' && parts[2] === 'in') {
      words.push(...parts.slice(3))
      continue
    }
    const program = parts.findIndex((word) => !beforeProgram.test(word))
    for (const [index, word] of parts.entries()) {
      if (index === program) words.push(word)
      if (interpreters.test(word)) words.push(...firstWords(parts.slice(index + 1)))
    }
  }
  return words.flatMap(expandBraces).slice(0, maxListed)
}

/** Returns the word that an interpreter starts, with values of options before it. */
function firstWords(parts: readonly string[]): string[] {
  const words: string[] = []
  for (const [index, word] of parts.entries()) {
    if (word.startsWith('-') || subcommands.test(word)) continue
    words.push(word)
    if (!valued.test(parts[index - 1] ?? '')) break
  }
  return words
}

/** Words of a command that look like a path in the folder. */
export function pathWords(command: string): string[] {
  const words = wordsOf(localText(command))
    .filter((word) => /^(?:[\w.@$~{}*-]+\/)+[\w.@*-]+$|^[\w-]+\.(?:[cm]?[jt]s|py|sh|rb|pl)$/.test(word))
    .slice(0, maxListed)
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)))
}

/** Maximum number of names that are tried for a command, and that are listed. */
const maxNames = 2000
const maxListed = 100

function localText(command: string): string {
  return command
    .replaceAll(
      /\$\{?CLAUDE_PROJECT_DIR(?::?[-=?+][^{}]*)?\}?|\$\(git rev-parse --show-toplevel\)|`git rev-parse --show-toplevel`/g,
      (all) => (all.startsWith('${') || !all.startsWith('$C') ? '.' : all.replace('$CLAUDE_PROJECT_DIR', '.')),
    )
    .replaceAll(/\$\{?PWD\}?/g, '.')
}

function wordsOf(local: string): string[] {
  const plain = local.replaceAll(/["']/g, '')
  const quoted = [...local.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, double, single]) => double ?? single ?? '')
  const expanded: string[] = []
  for (const word of [plain, local].flatMap((text) => text.split(/[\s;|&()<>]+/)))
    if (expanded.length < maxNames) expanded.push(...expandBraces(word))
  const words = [plain, local, ...expanded].flatMap((text) => text.split(/[\s=,;|&()"'`<>]+/))
  return [...new Set([...words, ...quoted])].filter((word) => word !== '' && !word.includes('\0')).slice(0, maxNames)
}

/** Maximum number of words that one with braces becomes, and its length. */
const maxExpanded = 100
const maxLength = 1000

/** Returns the words that the shell makes of `a{b,c}`, in at most four pairs of braces that do not contain others. */
function expandBraces(word: string): string[] {
  if (word.length > maxLength) return [word]
  let words = [word]
  for (let count = 0; count < 4; count += 1)
    words = words
      .flatMap((each) => {
        const braces = /\{([^{},]*,[^{}]*)\}/.exec(each)
        if (braces === null) return [each]
        const [all, inner = ''] = braces
        const after = each.slice(braces.index + all.length)
        const parts = inner.split(',', maxExpanded)
        return parts.map((part) => each.slice(0, braces.index) + part + after)
      })
      .slice(0, maxExpanded)
  return words
}

/** What interpreters start for a name without its ending, or for a folder. */
const endings = [
  '.js',
  '.mjs',
  '.cjs',
  '.json',
  '.ts',
  '.mts',
  '.cts',
  '.py',
  '/package.json',
  '/index.js',
  '/index.mjs',
  '/index.cjs',
  '/index.ts',
  '/__main__.py',
  '/main.py',
  '/main.go',
]

const completed = (word: string): string[] =>
  /^[\w./@~+-]+$/.test(word) && !word.startsWith('-')
    ? endings.map((ending) => (word.endsWith('/') ? word.slice(0, -1) : word) + ending)
    : []

/** Files of the modules that `-m` starts. Python runs those of the packages around it too. */
function modulesOf(plain: string): string[] {
  return [...plain.matchAll(/\s-m\s*([\w.]+)/g)].flatMap(([, name = '']) => {
    const parts = name.split('.')
    const file = parts.join('/')
    const packages = parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/__init__.py`)
    return [`${file}.py`, `${file}/__main__.py`, ...packages]
  })
}

/** Folders that a command changes to, each alone and below the ones before. */
function startFolders(plain: string): string[] {
  const folders = [...plain.matchAll(/(?:^|[\s;&|(])(?:cd|pushd|-C|--cwd|--prefix|--directory)[\s=]+([^\s;&|()<>]+)/g)]
    .map(([, folder = '']) => folder)
    .slice(0, 10)
  return [...new Set([...folders, ...folders.map((_, index) => folders.slice(0, index + 1).join('/'))])]
}

/** Programs that start what a manifest names, and these manifests. */
const runners =
  /(?:^|[\s;&|(/])(?:npm|npx|pnpm|yarn|bun|bunx|deno|uv|uvx|poetry|make|just|cargo|go|gradlew?|mvnw?|rake|bundle|task|tox|nox|composer|mise|pre-commit)(?:\.exe|\.cmd)?(?:\s|$)/
export const manifests = `
  package.json deno.json deno.jsonc pyproject.toml Makefile makefile GNUmakefile justfile
  .justfile Justfile Cargo.toml go.mod build.gradle build.gradle.kts settings.gradle
  settings.gradle.kts pom.xml Rakefile rakefile Rakefile.rb Gemfile Taskfile.yml Taskfile.yaml
  taskfile.yml tox.ini setup.cfg noxfile.py composer.json mise.toml .mise.toml .config/mise.toml
  .tool-versions .pre-commit-config.yaml
`
  .trim()
  .split(/\s+/)

/** Whether a program of a command starts what a manifest names. */
export const runsManifest = (command: string): boolean => runners.test(command)
