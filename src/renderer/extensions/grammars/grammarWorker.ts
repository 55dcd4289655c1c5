import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma'
import { INITIAL, parseRawGrammar, Registry, type IGrammar, type StateStack } from 'vscode-textmate'
import type { FromWorker, LineChange, ToWorker, WorkerGrammar } from './grammarMessages.ts'

// Worker that tokenizes texts with TextMate grammars of extensions. A grammar can have regular expressions that take
// forever, so nothing of it runs in the window, which ends this worker if a match does not end (grammarClient.ts).

/** Milliseconds after which tokens are sent and messages are read. */
const sliceMs = 10
/** Milliseconds for a line. The rest of it gets no tokens. */
const lineMs = 300
/** UTF-16 units above which a line gets no tokens, as in Monaco. */
const maxLineLength = 20_000

interface Text {
  id: number
  version: number
  scopeName: string
  lines: string[]
  /** State at the end of each line. Undefined: not tokenized yet. */
  ends: (StateStack | undefined)[]
  /** Index of the first line whose tokens may be out of date. `lines.length` if there is none. */
  dirty: number
  /** Index of the last changed line. From there on, an unchanged end state means that the next lines are up to date. */
  settled: number
  /** Index of a later line whose tokens are out of date. Infinite if there is none. */
  pending: number
}

const texts = new Map<number, Text>()
const loaded = new Map<string, IGrammar | null>()
const requested = new Map<string, (grammar: { path: string; text: string | null }) => void>()
let grammars: readonly WorkerGrammar[] = []
let registry: Registry | undefined
let scheduled = false

const post = (message: FromWorker, transfer: Transferable[] = []) => postMessage(message, { transfer })

async function start(wasmUrl: string): Promise<Registry> {
  const response = await fetch(wasmUrl)
  await loadWASM(await response.arrayBuffer())
  return new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    async loadGrammar(scopeName) {
      if (!grammars.some((grammar) => grammar.scopeName === scopeName)) return null
      const { promise, resolve } = Promise.withResolvers<{ path: string; text: string | null }>()
      requested.set(scopeName, resolve)
      post({ kind: 'needsGrammar', scopeName })
      const { path, text } = await promise
      return text === null ? null : parseRawGrammar(text, path)
    },
    getInjections: (scopeName) =>
      grammars.filter(({ injectTo }) => injectTo.includes(scopeName)).map((grammar) => grammar.scopeName),
  })
}

async function load(scopeName: string): Promise<void> {
  const grammar = grammars.find((each) => each.scopeName === scopeName)
  loaded.set(scopeName, null)
  if (!grammar || !registry) return
  try {
    const { languageId = 0, scopeName: _name, injectTo: _scopes, ...configuration } = grammar
    const found = await registry.loadGrammarWithConfiguration(scopeName, languageId, configuration)
    if (!found) throw new Error('Its text is missing.')
    loaded.set(scopeName, found)
    schedule()
  } catch (error) {
    post({ kind: 'failed', scopeName, message: error instanceof Error ? error.message : String(error) })
  }
}

/** Applies changes in their order, which is from the end of the text to its start. */
function apply(text: Text, changes: readonly LineChange[]): void {
  for (const { startLine, startColumn, endLine, endColumn, text: inserted } of changes) {
    const before = (text.lines[startLine - 1] ?? '').slice(0, startColumn - 1)
    const after = (text.lines[endLine - 1] ?? '').slice(endColumn - 1)
    const lines = `${before}${inserted}${after}`.split(/\r\n|\r|\n/)
    const removed = endLine - startLine + 1
    // The state after the last line stays for the comparison. Those of the lines before it are unknown.
    const lastEnd = text.ends[endLine - 1]
    splice(text.lines, startLine - 1, removed, lines)
    splice(text.ends, startLine - 1, removed, [...Array.from({ length: lines.length - 1 }, () => undefined), lastEnd])
    const added = lines.length - removed
    const shifted = (index: number) => (index >= endLine ? index + added : Math.min(index, startLine - 1))
    const isComplete = text.dirty >= text.lines.length - added
    text.dirty = shifted(text.dirty)
    text.pending = shifted(text.pending)
    if (!isComplete && startLine - 1 < text.dirty) text.pending = Math.min(text.pending, text.dirty)
    text.dirty = Math.min(text.dirty, startLine - 1)
    text.settled = Math.max(text.settled >= endLine ? text.settled + added : 0, startLine - 1 + lines.length - 1)
  }
}

/** Like `Array.splice`, for lists that are too long for arguments. */
function splice<T>(list: T[], at: number, removed: number, added: readonly T[]): void {
  if (added.length < 10_000) return void list.splice(at, removed, ...added)
  const tail = list.splice(at).slice(removed)
  for (const each of added) list.push(each)
  for (const each of tail) list.push(each)
}

const nextText = () => [...texts.values()].find((text) => text.dirty < text.lines.length && loaded.get(text.scopeName))

function schedule(): void {
  if (scheduled) return
  scheduled = true
  setTimeout(work, 0)
}

function work(): void {
  scheduled = false
  const text = nextText()
  const grammar = text && loaded.get(text.scopeName)
  if (!text || !grammar) return
  post({ kind: 'working', scopeName: text.scopeName })
  const end = performance.now() + sliceMs
  const firstLine = text.dirty + 1
  const tokens: Uint32Array[] = []
  while (text.dirty < text.lines.length && performance.now() < end) tokens.push(tokenizeLine(text, grammar))
  post(
    {
      kind: 'tokens',
      id: text.id,
      version: text.version,
      firstLine,
      tokens,
      done: text.dirty >= text.lines.length,
    },
    tokens.map(({ buffer }) => buffer),
  )
  post({ kind: 'rested' })
  schedule()
}

/** Tokenizes the first line that is out of date. */
function tokenizeLine(text: Text, grammar: IGrammar): Uint32Array {
  const index = text.dirty
  const line = text.lines[index] ?? ''
  const start = index === 0 ? INITIAL : (text.ends[index - 1] ?? INITIAL)
  const before = text.ends[index]
  const { tokens, ruleStack } =
    line.length > maxLineLength
      ? { tokens: Uint32Array.of(0, 0), ruleStack: start }
      : grammar.tokenizeLine2(line, start, lineMs)
  text.ends[index] = ruleStack
  // The lines below were tokenized with the same state.
  const isSettled = index >= text.settled && before !== undefined && before.equals(ruleStack)
  text.dirty = index + 1
  if (isSettled) {
    text.dirty = text.pending > index ? Math.min(text.pending, text.lines.length) : text.lines.length
    text.pending = Number.POSITIVE_INFINITY
    text.settled = 0
  }
  return withEnds(tokens, line.length)
}

/** Converts tokens with the start of each to the format of Monaco's store, with the end of each. */
function withEnds(tokens: Uint32Array, length: number): Uint32Array {
  for (let at = 0; at < tokens.length; at += 2) tokens[at] = tokens[at + 2] ?? length
  return tokens
}

function open({ id, version, scopeName, text }: Extract<ToWorker, { kind: 'open' }>): void {
  const lines = text.split(/\r\n|\r|\n/)
  texts.set(id, {
    id,
    version,
    scopeName,
    lines,
    ends: lines.map(() => undefined),
    dirty: 0,
    settled: 0,
    pending: Number.POSITIVE_INFINITY,
  })
  if (!loaded.has(scopeName)) void load(scopeName)
  schedule()
}

function change({ id, version, changes }: Extract<ToWorker, { kind: 'change' }>): void {
  const text = texts.get(id)
  if (!text) return
  text.version = version
  apply(text, changes)
  schedule()
}

async function receive(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'start':
      grammars = message.grammars
      registry = await start(message.wasmUrl)
      break
    case 'theme':
      registry?.setTheme({ settings: message.theme.rules }, message.theme.colors)
      break
    case 'grammarText':
      requested.get(message.scopeName)?.(message)
      requested.delete(message.scopeName)
      break
    case 'open':
      open(message)
      break
    case 'change':
      change(message)
      break
    case 'close':
      texts.delete(message.id)
  }
}

// One after the other, because a text can arrive before the library has loaded. Texts of grammars are answers to it.
let last = Promise.resolve()
addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'grammarText') void receive(data)
  else
    last = last
      .then(() => receive(data))
      .catch((error: unknown) => {
        post({ kind: 'failed', scopeName: '', message: error instanceof Error ? error.message : String(error) })
      })
})
