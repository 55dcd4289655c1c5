import {
  TokenizationRegistry,
  type BackgroundTokenStore,
  type TokenizedModel,
} from 'monaco-editor/editor/common/languages'
import { ContiguousMultilineTokens } from 'monaco-editor/editor/common/tokens/contiguousMultilineTokens'
import { monaco } from '../../platform/editor/monaco/monaco.ts'
import type { GrammarClient } from './grammarClient.ts'
import { mapLine, type LineEdit } from './mapLine.ts'

/** Texts above this length in UTF-16 units keep the text color, because the worker has a copy of each text. */
const maxLength = 5_000_000

/**
 * State that Monaco keeps for each line. All lines of a model share one, because the worker has the states of the
 * grammar.
 */
class ModelState implements monaco.languages.IState {
  readonly model: monaco.editor.ITextModel | null
  constructor(model: monaco.editor.ITextModel | null) {
    this.model = model
  }
  clone(): ModelState {
    return this
  }
  equals(other: monaco.languages.IState): boolean {
    return other === this
  }
}

const foregroundShift = 15
const textColor = 1 << foregroundShift

/**
 * Colors a language with a grammar in the worker. Monaco asks for tokens synchronously, so all its lines are marked as
 * tokenized, and the worker's tokens replace those that Monaco has. Until they arrive, Monaco moves the tokens of the
 * line with the typed text.
 * @returns a function that restores the previous coloring
 */
export function registerGrammarTokens(languageId: string, scopeName: string, client: GrammarClient): () => void {
  const previous = TokenizationRegistry.get(languageId)
  const encodedId = monaco.languages.getEncodedLanguageId(languageId)
  const registration = TokenizationRegistry.register(languageId, {
    getInitialState: () => new ModelState(null),
    tokenizeEncoded: (line, _hasEol, state) => ({
      tokens:
        state instanceof ModelState && state.model
          ? tokensLike(state.model, line)
          : Uint32Array.of(0, textColor | encodedId),
      endState: state,
    }),
    createBackgroundTokenizer: (model, store) => followModel(model, store, scopeName, client),
  })
  return () => {
    registration.dispose()
    if (previous) TokenizationRegistry.register(languageId, previous)
    // Monaco's own grammar, if it has not been loaded because of this one.
    else void TokenizationRegistry.getOrCreate(languageId)
  }
}

/**
 * Tokens of a line as it would be with a character that is about to be inserted. Monaco needs them to decide whether a
 * bracket or quote is closed.
 */
function tokensLike(model: monaco.editor.ITextModel, line: string): Uint32Array {
  const editor = monaco.editor.getEditors().find((each) => each.getModel() === model && each.hasTextFocus())
  const position = editor?.getPosition()
  if (!position || model.getLineLength(position.lineNumber) !== line.length - 1) return Uint32Array.of(0, textColor)
  // Models have it, but Monaco does not export its type.
  const known = (model as unknown as TokenizedModel).tokenization.getLineTokens(position.lineNumber)
  const tokens = new Uint32Array(known.getCount() * 2)
  for (let index = 0; index < known.getCount(); index++) {
    const end = known.getEndOffset(index)
    tokens[index * 2] = end >= position.column - 1 ? end + 1 : end
    tokens[index * 2 + 1] = known.getMetadata(index)
  }
  // The inserted character belongs to the token before it. The binary format has starts instead of ends.
  const starts = tokens.map((value, at) => (at % 2 === 1 ? value : at === 0 ? 0 : (tokens[at - 2] ?? 0)))
  return starts.length === 0 ? Uint32Array.of(0, textColor) : starts
}

/** Sends a model and its changes to the worker, and stores the tokens that arrive. */
function followModel(
  model: monaco.editor.ITextModel,
  store: BackgroundTokenStore,
  scopeName: string,
  client: GrammarClient,
): { dispose(): void; requestTokens(): void } {
  const state = new ModelState(model)
  const markLines = (from: number, to: number) => {
    for (let line = from; line <= to; line++) store.setEndState(line, state)
  }
  if (model.getValueLength() > maxLength) {
    markLines(1, model.getLineCount())
    store.backgroundTokenizationFinished()
    return { dispose: () => undefined, requestTokens: () => undefined }
  }
  /** Edits that the worker may not know yet when it sends tokens, by version. */
  let edits: { version: number; edit: LineEdit }[] = []

  function receive(version: number, firstLine: number, tokens: readonly Uint32Array[], done: boolean): void {
    edits = edits.filter((each) => each.version > version)
    const batch: ContiguousMultilineTokens[] = []
    for (const [index, lineTokens] of tokens.entries()) {
      const line = mapLine(
        firstLine + index,
        edits.map(({ edit }) => edit),
      )
      if (line === null || line > model.getLineCount()) continue
      const last = batch.at(-1)
      if (last && last.endLineNumber + 1 === line) last.appendLineTokens(lineTokens)
      else batch.push(new ContiguousMultilineTokens(line, [lineTokens]))
    }
    store.setTokens(batch)
    if (done && edits.length === 0) store.backgroundTokenizationFinished()
  }

  // Monaco creates its states after this call.
  queueMicrotask(() => !model.isDisposed() && markLines(1, model.getLineCount()))
  const id = client.open(scopeName, model.getValue(), model.getVersionId(), { receive })
  const listener = model.onDidChangeContent(({ changes, versionId, isFlush }) => {
    // Monaco creates another tokenizer for a replaced text.
    if (isFlush) return
    for (const { range, text } of changes) {
      const added = text.split(/\r\n|\r|\n/).length
      edits.push({ version: versionId, edit: { start: range.startLineNumber, end: range.endLineNumber, lines: added } })
      markLines(range.startLineNumber, Math.min(model.getLineCount(), range.startLineNumber + added - 1))
    }
    client.change(
      id,
      versionId,
      changes.map(({ range, text }) => ({
        startLine: range.startLineNumber,
        startColumn: range.startColumn,
        endLine: range.endLineNumber,
        endColumn: range.endColumn,
        text,
      })),
    )
  })
  return {
    dispose() {
      listener.dispose()
      client.close(id)
    },
    requestTokens: () => undefined,
  }
}
