import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma'
import { INITIAL, parseRawGrammar, Registry, type IGrammar, type StateStack } from 'vscode-textmate'
import type { FromWorker, ToWorker, WorkerGrammar } from './grammarMessages.ts'
import { TokenizedText } from './tokenizedText.ts'

// Worker that tokenizes texts with TextMate grammars of extensions. A grammar can have regular expressions that take
// forever, so nothing of it runs in the window, which ends this worker if a match does not end (grammarClient.ts).

/** Milliseconds after which tokens are sent and messages are read. */
const sliceMs = 10
/** Milliseconds for a line. The rest of it gets no tokens. A match that began before takes up to a second more. */
const lineMs = 300
/** Lines that took longer, after which a grammar is not used: each keeps a processor busy. */
const maxSlowLines = 10
/** UTF-16 units above which a line gets no tokens, as in Monaco. */
const maxLineLength = 20_000

interface Text {
  id: number
  version: number
  scopeName: string
  content: TokenizedText<StateStack>
}

const texts = new Map<number, Text>()
const loaded = new Map<string, IGrammar | null>()
const requested = new Map<string, (grammar: { path: string; text: string | null }) => void>()
/** Number of lines that took too long, by grammar. */
const slowLines = new Map<string, number>()
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
    fail(scopeName, error)
  }
}

function fail(scopeName: string, error: unknown): void {
  loaded.set(scopeName, null)
  post({ kind: 'failed', scopeName, message: error instanceof Error ? error.message : String(error) })
}

const nextText = () => [...texts.values()].find((text) => !text.content.isComplete && loaded.get(text.scopeName))

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
  const { content } = text
  const firstLine = content.nextLine
  const tokens: Uint32Array[] = []
  try {
    // Lines that are up to date can follow, so the next line may be further down.
    while (!content.isComplete && content.nextLine === firstLine + tokens.length && performance.now() < end)
      tokens.push(content.tokenizeNext((line, start) => tokenizeLine(text.scopeName, grammar, line, start)))
  } catch (error) {
    // Its rules are compiled when a line needs them: expressions that are not valid, rules that include each other.
    fail(text.scopeName, error)
  }
  post(
    { kind: 'tokens', id: text.id, version: text.version, firstLine, tokens, done: content.isComplete },
    tokens.map(({ buffer }) => buffer),
  )
  post({ kind: 'rested' })
  schedule()
}

function tokenizeLine(scopeName: string, grammar: IGrammar, line: string, start: StateStack | undefined) {
  const began = performance.now()
  const { tokens, ruleStack } =
    line.length > maxLineLength
      ? { tokens: Uint32Array.of(0, 0), ruleStack: start ?? INITIAL }
      : grammar.tokenizeLine2(line, start ?? INITIAL, lineMs)
  if (performance.now() - began > lineMs) countSlowLine(scopeName)
  return { tokens: withEnds(tokens, line.length), end: ruleStack }
}

function countSlowLine(scopeName: string): void {
  const count = (slowLines.get(scopeName) ?? 0) + 1
  slowLines.set(scopeName, count)
  if (count < maxSlowLines) return
  loaded.set(scopeName, null)
  post({ kind: 'failed', scopeName, message: `${count} lines took more than ${lineMs / 1000} seconds each.` })
}

/** Converts tokens with the start of each to the format of Monaco's store, with the end of each. */
function withEnds(tokens: Uint32Array, length: number): Uint32Array {
  for (let at = 0; at < tokens.length; at += 2) tokens[at] = tokens[at + 2] ?? length
  return tokens
}

function open({ id, version, scopeName, text }: Extract<ToWorker, { kind: 'open' }>): void {
  texts.set(id, { id, version, scopeName, content: new TokenizedText<StateStack>(text) })
  if (!loaded.has(scopeName)) void load(scopeName)
  schedule()
}

function change({ id, version, changes }: Extract<ToWorker, { kind: 'change' }>): void {
  const text = texts.get(id)
  if (!text) return
  text.version = version
  text.content.apply(changes)
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
