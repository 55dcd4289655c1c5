import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { languages } from '../src/main/code/index/languages.ts'
import { maxFileSize } from '../src/main/code/index/indexLimits.ts'
import { createSymbolReader, type SymbolReader } from '../src/main/code/index/symbolReader.ts'
import type { Row } from './row.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '..')
/** Number of files per sample, spread evenly over all found files. */
const maxFiles = 300

interface Sample {
  language: string
  /** Name of the language in ctags, and the letters of the kinds to compare. */
  ctags: string
  kinds: string
  /** Globs of installed sources. Files with `extension` are read as this language. */
  places: readonly string[]
  /** The Debian or npm package that contains the sources. */
  from: string
}

// `kinds` omits these letters of ctags, because a symbol tool need not find what they stand for:
// Python: imported names (I, x), which are links here; parameters and local variables (z, l).
// TypeScript: parameters and local variables (z, l). ctags 5.9 also reports most local variables as constants or
//   variables, and the names of a type import as aliases; `declared` filters them out. zod's sources are not used,
//   because ctags 5.9 cannot read names with a `$`.
// Go: package clauses and imports (p, P); receivers (R), which only name a type; anonymous members (M), which are
//   `extends` edges here.
// C: local variables (l), prototypes (p) and extern declarations (x), which ctags omits by default; includes (h);
//   labels (L).
const samples: readonly Sample[] = [
  {
    language: 'python',
    ctags: 'Python',
    kinds: 'cfmv',
    places: ['/usr/lib/python3.*/**/*.py'],
    from: "Python's standard library",
  },
  {
    language: 'typescript',
    ctags: 'TypeScript',
    kinds: 'cegfimnpvCa',
    from: 'sources in the npm packages ajv, @xterm/xterm and @noble/hashes',
    places: ['ajv/lib', '@xterm/xterm/src', '@noble/hashes/src'].map((place) =>
      join(repository, 'node_modules', place, '**/*.ts'),
    ),
  },
  {
    language: 'go',
    ctags: 'Go',
    kinds: 'fctvsimna',
    places: ['/usr/share/gocode/src/**/*.go'],
    from: 'golang-golang-x-text-dev, golang-github-gorilla-mux-dev and golang-github-spf13-pflag-dev',
  },
  {
    language: 'c',
    ctags: 'C',
    kinds: 'defgmstuv',
    from: 'headers of /usr/include, examples of zlib1g-dev, scanners of grammar packages',
    places: [
      '/usr/include/*.h',
      '/usr/include/{linux,sys}/*.h',
      '/usr/share/doc/zlib1g-dev/examples/*.c',
      join(repository, 'node_modules/**/tree-sitter-*/src/scanner.c'),
    ],
  },
]

/**
 * Measures how many of universal-ctags' definitions in installed sources are symbols in the index with the same name
 * and line.
 */
export async function measure(): Promise<Row[]> {
  const problems: string[] = []
  const grammars = join(repository, 'resources/grammars')
  const reader = createSymbolReader({ grammars, onNotice: (message) => problems.push(message), milliseconds: 60_000 })
  const rows: Row[] = []
  for (const sample of samples) {
    const files = await filesOf(sample.places)
    const tags = files.length === 0 ? null : await tagsOf(sample, files)
    if (!tags || tags.length === 0) {
      console.log(`definitions of ${sample.ctags}: not run, it needs universal-ctags and ${sample.from}.`)
      continue
    }
    const { missed, total } = await compare(reader, sample, tags)
    const shown = process.env.TIZONA_BENCH_MISSED ? missed : []
    for (const { name, path, line, kind } of shown) console.log(`missed: ${kind} ${name} ${path}:${line}`)
    rows.push({
      question: `definitions of ${sample.ctags} sources against ctags: recall`,
      value: (1 - missed.length / total) * 100,
      unit: '%',
      goal: 98,
      how: `${total - missed.length} of ${total} in ${files.length} files: ${sample.from}; kinds ${sample.kinds}`,
    })
  }
  for (const problem of problems) console.error(problem)
  return rows
}

async function filesOf(places: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const place of places) {
    const here = (await Array.fromAsync(glob(place)))
      .filter((path) => !/\.d\.ts$|\/(tests?|testdata|lib2to3)\//.test(path))
      .toSorted()
    const step = Math.max(1, Math.ceil(here.length / maxFiles))
    found.push(...here.filter((_, index) => index % step === 0))
  }
  const texts = await Promise.all(found.map((path) => readFile(path, 'latin1')))
  // ctags reads headers as C++ by default.
  const isCpp = (path: string, text: string) => path.endsWith('.h') && /^\s*(class|namespace|template)\b/m.test(text)
  const fit = (path: string, text: string) => text.length <= maxFileSize && !isCpp(path, text)
  return found.filter((path, index) => fit(path, texts[index] ?? ''))
}

interface Tag {
  name: string
  path: string
  line: number
  kind: string
  scopeKind?: string
}

const variables: ReadonlySet<string> = new Set(['variable', 'constant', 'property'])
const functions: ReadonlySet<string> = new Set(['function', 'method', 'generator'])

/** Runs universal-ctags. Returns null if it is not installed. */
async function tagsOf({ ctags, kinds }: Sample, files: readonly string[]): Promise<Tag[] | null> {
  const output = ['--options=NONE', '--output-format=json', '--fields=+nKs', '-f', '-']
  const asked = [...output, `--language-force=${ctags}`, `--kinds-${ctags}=${kinds}`, ...files]
  const { stdout } = await run('ctags', asked, { maxBuffer: 2 ** 28 }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { stdout: '' }
    throw error
  })
  const tags = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Tag)
  return tags.length === 0 ? null : tags
}

/** Whether a tag is a real definition: no invented name, no part of a word, not local, and no import. */
function declared({ name, kind, scopeKind }: Tag, ctags: string, line: string): boolean {
  if (/^(__anon|anonymous|AnonymousFunction)/i.test(name) || /^(if|for|implements|instanceof)$/.test(name)) return false
  if (variables.has(kind) && functions.has(scopeKind ?? '')) return false
  if (ctags !== 'TypeScript') return true
  if (!line.split(/[^\w$#]+/).includes(name)) return false
  if (kind === 'alias') return new RegExp(`\\btype\\s+${name}\\s*[<=]`).test(line)
  // Indented tags are local to a function or block. After a comment, ctags reports the value as the name.
  if (kind !== 'constant' && kind !== 'variable') return true
  return (
    name !== 'const' &&
    !/^\s/.test(line) &&
    new RegExp(`(const|let|var|[,{[])\\s*${name.replaceAll('$', '\\$')}\\b`).test(line)
  )
}

async function compare(
  reader: SymbolReader,
  sample: Sample,
  tags: readonly Tag[],
): Promise<{ missed: Tag[]; total: number }> {
  const language = languages.find(({ id }) => id === sample.language)
  const missed: Tag[] = []
  let total = 0
  for (const [path, all] of Map.groupBy(tags, (tag) => tag.path)) {
    const text = (await readFile(path, 'utf8')).replaceAll('\r\n', '\n')
    const lines = text.split('\n')
    const wanted = all.filter((tag) => declared(tag, sample.ctags, lines[tag.line - 1] ?? ''))
    const { found } = await reader.read(language, text)
    const known = new Set(
      found.symbols.flatMap(({ name, nameLine, range }) => [`${name}:${nameLine}`, `${name}:${range.line}`]),
    )
    total += wanted.length
    missed.push(...wanted.filter(({ name, line }) => !known.has(`${name}:${line}`)))
  }
  return { missed, total }
}
