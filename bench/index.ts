import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defaultFork, type ForkProcess } from '../src/main/base/childProcess.ts'
import { createCodeIndex, indexFileOf, type CodeIndex, type IndexStatus } from '../src/main/code/codeIndex.ts'
import { createSearch } from '../src/main/search/search.ts'
import { createDocuments } from '../src/main/workspace/documents.ts'
import type { EditorPort } from '../src/main/workspace/editorPort.ts'
import { openWorkspace } from '../src/main/workspace/containment.ts'
import { median, time, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const files = 5000
/** Number of index builds, each next to ctags. */
const rounds = 3
/** Files of the folder in which the first query is sent. */
const openedFiles = 20_000
/** Definitions per file: 5,000 files have 100,000 symbols. */
const definitionsPerFile = 20
const run = promisify(execFile)

/**
 * Measures the code index through the object that the tools use, including its process and messages: a complete tree
 * compared with native ctags, one edited file, and symbol_search among 100,000 symbols.
 */
export async function measure(): Promise<Row[]> {
  return [...(await measureWholeIndex()), await measureFirstAnswer()]
}

async function measureWholeIndex(): Promise<Row[]> {
  const hasCtags = await run('ctags', ['--version']).then(
    () => true,
    () => false,
  )
  if (!hasCtags) console.log('full index against native ctags: not run, it needs universal-ctags.')
  const tree = await makeTree(files)
  try {
    const paths = await addDefinitions(tree.root, files)
    const builds: Build[] = []
    for (let round = 1; round < rounds; round++)
      if (hasCtags) builds.push(await withIndex(tree.root, (code, data, start) => build(code, data, start, tree.root)))
    return await withIndex(tree.root, async (code, data, start) => {
      if (hasCtags) builds.push(await build(code, data, start, tree.root))
      else await untilRead(code, start, 'symbols', 'words')
      const { symbols } = await code.status()
      const textBytes = await totalBytes(paths.map((path) => join(tree.root, path)))
      const indexFile = indexFileOf(tree.root, data)
      const indexBytes = (await totalBytes([indexFile])) + (await totalBytes([`${indexFile}-wal`]))
      const edited = await edit(code, tree.root, paths)
      const searches = await searchMany(code)
      return [
        ...(hasCtags ? buildRows(builds) : []),
        {
          question: `index of ${files} files on disk against their text`,
          value: indexBytes / textBytes,
          unit: '×',
          goal: 3,
          how: `${definitionsPerFile} definitions with names of their own in 2 KB of text, which is dense; this repository: 2.2×`,
        },
        {
          question: 're-index of one edited file',
          value: edited,
          unit: 'ms',
          goal: 50,
          how: 'median of 20 edits, each in another file: from the write to the outline that shows it',
        },
        {
          question: 'symbol_search, p95',
          value: searches,
          unit: 'ms',
          goal: 10,
          how: `${symbols} symbols; 200 exact, prefix, camel-hump and fuzzy queries`,
        },
      ]
    })
  } finally {
    await tree.remove()
  }
}

/** Milliseconds from opening the folder until all symbols are read, until all words are read, and for ctags. */
interface Build {
  symbols: number
  words: number
  ctags: number
}

async function build(code: CodeIndex, data: string, start: number, root: string): Promise<Build> {
  const symbols = await untilRead(code, start, 'symbols')
  const words = await untilRead(code, start, 'symbols', 'words')
  return { symbols, words, ctags: await time(() => run('ctags', ['-R', '-f', join(data, 'tags'), root])) }
}

/** Waits while the index is in one of the states. @returns milliseconds since `start` */
async function untilRead(code: CodeIndex, start: number, ...states: IndexStatus['state'][]): Promise<number> {
  while (states.includes((await code.status()).state)) await new Promise((resolve) => setTimeout(resolve, 25))
  return performance.now() - start
}

function buildRows(builds: readonly Build[]): Row[] {
  const speed = (part: keyof Build): number => Math.round(files / (median(builds.map((one) => one[part])) / 1000))
  const ratios = (part: keyof Build): number[] => builds.map((one) => one[part] / one.ctags)
  const inRounds = (part: keyof Build): string =>
    `median of ${builds.length} rounds: ${ratios(part)
      .map((ratio) => ratio.toFixed(2))
      .join(', ')}×`
  return [
    {
      question: `full index of ${files} files against native ctags: all definitions and edges`,
      value: median(ratios('symbols')),
      unit: '×',
      goal: 4,
      how: `${inRounds('symbols')}; ${speed('symbols')} files/s with signatures, comments, references and imports, ctags ${speed('ctags')} files/s with definitions only`,
    },
    {
      question: `full index of ${files} files against native ctags: also the words of all texts`,
      value: median(ratios('words')),
      unit: '×',
      how: `${inRounds('words')}; ${speed('words')} files/s; ctags has no words`,
    },
  ]
}

/** Opens a folder that has no index. `start`: when it was opened. */
async function withIndex<Result>(
  root: string,
  measureIn: (code: CodeIndex, data: string, start: number) => Promise<Result>,
): Promise<Result> {
  const data = await mkdtemp(join(tmpdir(), 'tizona-bench-index-'))
  try {
    const start = performance.now()
    const code = await openIndex(root, data)
    try {
      return await measureIn(code, data, start)
    } finally {
      await code.dispose()
    }
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

/** Measures from opening a folder without an index to the first search result, while files are being read. */
async function measureFirstAnswer(): Promise<Row> {
  const tree = await makeTree(openedFiles)
  try {
    await addDefinitions(tree.root, openedFiles)
    const name = nameOf(openedFiles - 1, 7)
    return await withIndex(tree.root, async (code, _data, start) => {
      const found = await code.search({ query: name, limit: 20 }, new AbortController().signal)
      const answered = performance.now() - start
      const { done, total } = await code.status()
      if (found[0]?.name !== name) throw new Error(`The first search does not find ${name}.`)
      return {
        question: `first symbol_search after opening ${openedFiles} files`,
        value: answered,
        unit: 'ms',
        goal: 1000,
        how: `by name, without an index on disk; ${done} of ${total} files indexed after the answer`,
      }
    })
  } finally {
    await tree.remove()
  }
}

async function openIndex(root: string, userData: string): Promise<CodeIndex> {
  const workspace = await openWorkspace(root)
  return createCodeIndex({
    workspace,
    search: createSearch(workspace, { dirtyBuffers: () => [] }),
    documents: createDocuments(workspace, closedEditor),
    userData,
    resources: join(import.meta.dirname, '../resources'),
    watched: true,
    dirtyBuffers: () => [],
    fork: forkBuilt,
    onNotice: (message) => console.error(message),
  })
}

/** Starts the built process. From the sources, Node would first strip types in each thread. */
const forkBuilt: ForkProcess = (_module, options, events) =>
  defaultFork(join(import.meta.dirname, '../out/main/indexProcess.js'), options, events)

/** An editor port without a window. */
const closedEditor: EditorPort = { attached: false, ask: () => Promise.reject(new Error('No window is open.')) }

async function addDefinitions(root: string, count: number): Promise<string[]> {
  const paths = Array.from(
    { length: count },
    (_, index) => `package${(index % 200) % 20}/module${index % 200}/file${index}.${index % 3 === 0 ? 'ts' : 'js'}`,
  )
  for (const [index, path] of paths.entries()) {
    const body = (await readFile(join(root, path), 'utf8')).split('\n')
    const functions = Array.from(
      { length: definitionsPerFile },
      (_, number) =>
        `function ${nameOf(index, number)}(argument) {\n${body.slice(number * 2, number * 2 + 2).join('\n')}\n}`,
    )
    await writeFile(join(root, path), functions.join('\n'))
  }
  return paths
}

async function totalBytes(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const verbs = ['read', 'write', 'open', 'close', 'find', 'make', 'drop', 'send', 'load', 'save']
const nouns = ['Workspace', 'Buffer', 'Symbol', 'Index', 'Window', 'Model', 'Search', 'Token', 'Branch', 'Commit']
const nameOf = (file: number, number: number) =>
  `${verbs[number % 10]}${nouns[file % 10]}${nouns[(file >> 3) % 10]}${file}x${number}`

async function edit(code: CodeIndex, root: string, paths: readonly string[]): Promise<number> {
  const times: number[] = []
  for (const path of paths.slice(0, 20)) {
    await writeFile(join(root, path), `${await readFile(join(root, path), 'utf8')}\nfunction addedNow() {}\n`)
    times.push(
      await time(async () => {
        const { symbols } = await code.outline(path, new AbortController().signal)
        if (!symbols.some(({ name }) => name === 'addedNow'))
          throw new Error(`The outline of ${path} does not show the edit.`)
      }),
    )
  }
  return median(times)
}

async function searchMany(code: CodeIndex): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < 50; index++) {
    const name = nameOf(index * 97, index % definitionsPerFile)
    for (const query of [name, name.slice(0, 9), name.replaceAll(/[^A-Z0-9]/g, ''), name.replaceAll(/[eio]/g, '')])
      times.push(await time(() => code.search({ query, limit: 20 }, new AbortController().signal)))
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}
