import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LineRange } from '../../shared/diff/lineHunks.ts'
import { isAbort, toFailure } from '../../shared/errors.ts'
import type { InlineEditProgress, InlineEditResult, InlineEditParams } from '../../shared/agent/inlineEdit.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { describeTarget, lineEdit, linesOf, trackedSpan } from '../platform/editor/editTarget.ts'
import { proposedHunks, partialHunks, withoutHunk, type ProposedHunk } from '../platform/editor/hunks/proposalHunks.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { recordFirstKept } from '../platform/firstKept.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { once } from '../../shared/async/once.ts'

type Model = monaco.editor.ITextModel

interface Problem {
  level: 'error' | 'warning'
  message: string
  hint: string
}

export interface InlineEditState {
  /**
   * `input`: no proposal yet. `running`: the model is answering. `result`: a proposal can be accepted, rejected or
   * refined.
   */
  phase: 'input' | 'running' | 'result'
  /** Text of the input field. */
  draft: string
  /** Current activity, e.g. "Loading model…". */
  note: string
  problem: Problem | null
  hunks: readonly ProposedHunk[]
  /** Incremented to request focus for the input field. */
  focusRequests: number
}

export interface InlineEditSession {
  readonly store: StoreApi<InlineEditState>
  readonly model: Model
  /** Whether the edit inserts text instead of replacing lines. */
  readonly inserts: boolean
  range(): LineRange
  send(instruction: string): Promise<void>
  /** Cancels the request. Shows the previous proposal again. */
  stop(): void
  /** Applies the proposal, or one hunk of it, as one undo step. */
  accept(hunk?: ProposedHunk): void
  reject(hunk?: ProposedHunk): void
  /** Proposes lines that did not come from a request, for example a code block from the chat. */
  propose(lines: readonly string[], instruction: string): void
  setDraft(text: string): void
  focus(): void
  /** Ends the edit without a change. */
  close(): void
}

interface Exchange {
  instruction: string
  lines: string[]
}

interface SessionOptions {
  editor: monaco.editor.IStandaloneCodeEditor
  model: Model
  path: string
  range: LineRange
  onClosed: () => void
}

const changedMeanwhile: Problem = {
  level: 'warning',
  message: 'The text changed while the edit was open, so the proposal no longer fits.',
  hint: 'Send the instruction again to edit the current text.',
}

const readOnly: Problem = {
  level: 'error',
  message: 'The file is read-only, so the proposal could not be applied.',
  hint: 'Make the file writable, then accept again.',
}

/** Creates an inline edit of some lines. The file's text changes only when the user accepts. */
// oxlint-disable-next-line eslint/max-lines-per-function -- One state machine: its functions share the proposal and the request.
export function createInlineEditSession({
  editor,
  model,
  path,
  range: first,
  onClosed,
}: SessionOptions): InlineEditSession {
  const store = createStore<InlineEditState>(() => ({
    phase: 'input',
    draft: '',
    note: '',
    problem: null,
    hunks: [],
    focusRequests: 1,
  }))
  const set = (change: Partial<InlineEditState>) => store.setState(change)
  const target = describeTarget(model, path, first)
  let base = linesOf(model, first)
  let proposal: string[] | null = null
  let exchanges: Exchange[] = []
  let running: RunningEdit | null = null
  let applying = false
  let closed = false
  let tracked = model.deltaDecorations([], [trackedDecoration(first)])

  function trackedDecoration(range: LineRange): monaco.editor.IModelDeltaDecoration {
    const { NeverGrowsWhenTypingAtEdges: stickiness } = monaco.editor.TrackedRangeStickiness
    return { range: trackedSpan(model, range), options: { stickiness } }
  }

  function range(): LineRange {
    const span = model.getDecorationRange(tracked[0] ?? '')
    if (!span) return first
    if (base.length > 0) return { start: span.startLineNumber, count: base.length }
    const atStart = span.startLineNumber === 1 && first.start === 1
    return { start: atStart ? 1 : span.startLineNumber + 1, count: 0 }
  }

  function show(lines: readonly string[] | null, complete: boolean): void {
    if (lines === null) return set({ hunks: [] })
    set({ hunks: complete ? proposedHunks(base, lines) : partialHunks(base, lines) })
  }

  /** Restores the state before the request that failed or was stopped. */
  function restore(change: Partial<InlineEditState>): void {
    running = null
    show(proposal, true)
    set({ phase: proposal === null ? 'input' : 'result', note: '', ...change })
  }

  const subscriptions = [
    model.onDidChangeContent(() => {
      if (applying || closed) return
      const { start, count } = range()
      const now = start + count - 1 <= model.getLineCount() ? linesOf(model, { start, count }) : null
      // Lines above were added or removed. Show the hunks at their new position.
      if (now !== null && now.every((line, index) => line === base[index]))
        return set({ hunks: [...store.getState().hunks] })
      stopRequest()
      const span = model.getDecorationRange(tracked[0] ?? '')
      base = span
        ? linesOf(model, { start: span.startLineNumber, count: span.endLineNumber - span.startLineNumber + 1 })
        : []
      const draft = store.getState().draft || (exchanges.at(-1)?.instruction ?? '')
      proposal = null
      exchanges = []
      restore({ problem: changedMeanwhile, draft })
    }),
    model.onWillDispose(close),
  ]

  function stopRequest(): void {
    running?.cancel()
    running = null
  }

  async function send(instruction: string): Promise<void> {
    if (closed || running || instruction.trim() === '') return
    const now = describeTarget(model, path, range())
    let lines: string[] = []
    const request = runInlineEdit({ ...now, instruction, earlier: exchanges }, (progress) => {
      if (running !== request) return
      lines = follow(progress, lines)
    })
    running = request
    set({ phase: 'running', draft: instruction, note: '', problem: null })
    let result: InlineEditResult
    try {
      result = await request.result
    } catch (error) {
      if (running !== request) return
      const { message, next } = toFailure(error)
      return restore({ draft: instruction, problem: isAbort(error) ? null : { level: 'error', message, hint: next } })
    }
    if (running !== request) return
    running = null
    exchanges = [...exchanges, { instruction, lines: result.lines }]
    proposal = result.lines
    show(proposal, true)
    set({
      phase: 'result',
      draft: '',
      note: '',
      problem: result.warning === undefined ? null : { level: 'warning', message: result.warning, hint: '' },
    })
  }

  function follow(progress: InlineEditProgress, before: readonly string[]): string[] {
    if (progress.kind === 'note') {
      set({ note: progress.text })
      return [...before]
    }
    const lines = [...before.slice(0, progress.keep), ...progress.lines]
    set({ note: '' })
    show(lines, false)
    return lines
  }

  /** Applies hunks to the model as one undo step. @returns false if the file cannot be changed */
  function apply(hunks: readonly ProposedHunk[]): boolean {
    const { start } = range()
    const edits = hunks.map((hunk) => lineEdit(model, { start: start + hunk.start, count: hunk.removed }, hunk.added))
    applying = true
    editor.pushUndoStop()
    const applied = editor.executeEdits(
      'tizona.inlineEdit',
      edits.map((edit) => ({ ...edit, forceMoveMarkers: true })),
    )
    editor.pushUndoStop()
    applying = false
    if (!applied) set({ problem: readOnly })
    return applied
  }

  function accept(hunk?: ProposedHunk): void {
    if (store.getState().phase !== 'result' || proposal === null) return
    const { hunks } = store.getState()
    const { start } = range()
    if (!apply(hunk ? [hunk] : hunks)) return
    recordFirstKept()
    if (!hunk || hunks.length === 1) return close()
    base = base.toSpliced(hunk.start, hunk.removed, ...hunk.added)
    tracked = model.deltaDecorations(tracked, [trackedDecoration({ start, count: base.length })])
    show(proposal, true)
    focus()
  }

  function reject(hunk?: ProposedHunk): void {
    const { hunks, phase } = store.getState()
    if (!hunk || hunks.length <= 1 || phase !== 'result' || proposal === null) return close()
    proposal = withoutHunk(base, proposal, hunk)
    const last = exchanges.at(-1)
    // The model continues from what is left of its answer.
    if (last) exchanges = [...exchanges.slice(0, -1), { ...last, lines: proposal }]
    show(proposal, true)
    focus()
  }

  function focus(): void {
    set({ focusRequests: store.getState().focusRequests + 1 })
  }

  function close(): void {
    if (closed) return
    closed = true
    stopRequest()
    for (const subscription of subscriptions) subscription.dispose()
    if (!model.isDisposed()) tracked = model.deltaDecorations(tracked, [])
    onClosed()
  }

  return {
    store,
    model,
    inserts: target.selection === null,
    range,
    send,
    stop() {
      if (!running) return
      stopRequest()
      restore({})
    },
    accept,
    reject,
    propose(lines, instruction) {
      proposal = [...lines]
      exchanges = [{ instruction, lines: [...lines] }]
      show(proposal, true)
      set({ phase: 'result', draft: '' })
    },
    setDraft: (draft) => set({ draft }),
    focus,
    close,
  }
}

type OnProgress = (progress: InlineEditProgress) => void

const listeners = new Map<string, OnProgress>()
const followProgress = once(() => on('inlineEdit.progress', ({ id, progress }) => listeners.get(id)?.(progress)))

interface RunningEdit {
  result: Promise<InlineEditResult>
  /** Closes the connection to the model server. */
  cancel(): void
}

/** Requests an edit from the open conversation's model. */
function runInlineEdit(params: Omit<InlineEditParams, 'id' | 'conversationId'>, onProgress: OnProgress): RunningEdit {
  followProgress()
  const id = crypto.randomUUID()
  listeners.set(id, onProgress)
  const result = request('inlineEdit.run', { ...params, id, conversationId: useChat.getState().info?.id }).finally(() =>
    listeners.delete(id),
  )
  return {
    result,
    cancel() {
      listeners.delete(id)
      // A lost connection also ends the request.
      request('inlineEdit.cancel', { id }).catch(() => undefined)
    },
  }
}
