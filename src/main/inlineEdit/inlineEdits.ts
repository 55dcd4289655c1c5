import { inlineEditLimits, maxInlineAnswer } from '../../shared/agent/contextAllocation.ts'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { InlineEditParams, InlineEditProgress, InlineEditResult } from '../../shared/agent/inlineEdit.ts'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { ModelClient } from '../model/modelClient.ts'
import { answerLines, explanationError, isBareAnswer, partialLines } from './answer.ts'
import { inlineEditMessages } from './prompt.ts'
import { quote } from './quote.ts'
import { Delayer } from '../../shared/async/delayer.ts'

export interface InlineEditDeps {
  /** Returns the model of a conversation, or the default model. @throws ToolError if there is none */
  choice(conversationId: string | undefined): ModelChoice
  /** @throws ModelError */
  model(choice: ModelChoice, signal: AbortSignal): Promise<{ client: ModelClient; contextWindow?: number }>
  temperature(): number
  /**
   * Splits control tokens of chat templates in the model's own earlier answers, which the client leaves as they are.
   */
  splitControlTokens(text: string): string
  /** Restores the tokens that the model copied from the prompt, which has them split. */
  restoreControlTokens(text: string): string
  /** Checks that the file may be sent to a model. @throws ToolError */
  checkPath(path: string): Promise<void>
  /** Returns text about the definitions of the names that the lines use; '' if there are none. */
  definitions(edit: InlineEditParams, signal: AbortSignal): Promise<string>
  /**
   * Returns the instructions of the user and, if it is trusted, of the folder for a file; '' if there are none.
   * @param room maximum characters
   */
  instructions(path: string, room: number, signal: AbortSignal): Promise<string>
  /** Whether the second version of a file has syntax errors that the first does not have. */
  newSyntaxErrors(path: string, texts: { before: string; after: string }, signal: AbortSignal): Promise<boolean>
  /**
   * Guides a model that gave no usable answer to change one of the selected lines.
   * @returns undefined if its server cannot constrain answers, or nothing changes
   * @throws ModelError
   */
  guidedLines(choice: ModelChoice, edit: InlineEditParams, signal: AbortSignal): Promise<string[] | undefined>
  /** Returns a function that receives each piece of an answer and reports whether the answer repeats itself. */
  watchRepetition(): (piece: string) => boolean
  onProgress(id: string, progress: InlineEditProgress): void
}

/** The running inline edits. They belong to no conversation, so turns do not know about them. */
export interface InlineEdits {
  /**
   * Requests the lines of an edit. Changes nothing.
   * @throws ToolError if the file may not be read or the answer is unusable; ModelError if the request failed
   */
  run(edit: InlineEditParams, signal: AbortSignal): Promise<InlineEditResult>
  cancel(id: string): void
  /** Cancels all edits. Resolves when no request is running. */
  stopAll(): Promise<void>
}

/** Minimum time between two progress events, in milliseconds. */
const progressInterval = 80

export function createInlineEdits(deps: InlineEditDeps): InlineEdits {
  const running = new Map<string, { controller: AbortController; ended: Promise<unknown> }>()
  return {
    async run(edit, closed) {
      if (running.has(edit.id))
        throw new ToolError('conflict', 'An edit with this id is running.', 'Use a unique id for each edit.')
      const controller = new AbortController()
      const ended = runEdit(deps, edit, AbortSignal.any([closed, controller.signal]))
      running.set(edit.id, { controller, ended })
      try {
        return await ended
      } finally {
        running.delete(edit.id)
      }
    },
    cancel: (id) => running.get(id)?.controller.abort(),
    async stopAll() {
      const edits = [...running.values()]
      for (const { controller } of edits) controller.abort()
      await Promise.allSettled(edits.map(({ ended }) => ended))
    },
  }
}

async function runEdit(deps: InlineEditDeps, edit: InlineEditParams, signal: AbortSignal): Promise<InlineEditResult> {
  await deps.checkPath(edit.path)
  const choice = deps.choice(edit.conversationId)
  const [{ client, contextWindow }, definitions] = await Promise.all([
    deps.model(choice, signal),
    deps.definitions(edit, signal),
  ])
  const instructions = await deps.instructions(edit.path, inlineEditLimits(contextWindow).instructions, signal)
  const requestAnswer = (surroundingShare: number) =>
    streamAnswer(deps, edit, signal, (aborted) =>
      client.stream({
        model: choice.model,
        messages: inlineEditMessages(edit, { definitions, instructions }, contextWindow, surroundingShare).map(
          (message) =>
            message.role === 'assistant' ? { ...message, content: deps.splitControlTokens(message.content) } : message,
        ),
        tools: [],
        temperature: deps.temperature(),
        ...(contextWindow !== undefined && { contextWindow }),
        isAside: true,
        urgency: 'person',
        signal: aborted,
      }),
    )
  try {
    const { text, warning } = await requestAnswer(1).catch((error: unknown) => {
      // Some servers report their context size only by rejecting a request.
      if (!isContextExceeded(error)) throw error
      return requestAnswer(0)
    })
    signal.throwIfAborted()
    const lines = answerLines(text, edit)
    if (isBareAnswer(text, edit) && (await parsesWorse(deps, edit, lines, signal))) throw explanationError(text)
    const note = warning ?? elisionWarning(lines, edit)
    return { lines, ...(note !== undefined && { warning: note }) }
  } catch (error) {
    if (!(error instanceof ToolError) || edit.selection === null) throw error
    deps.onProgress(edit.id, { kind: 'lines', keep: 0, lines: [] })
    deps.onProgress(edit.id, { kind: 'note', text: 'The answer is not usable. Requesting a single changed line…' })
    const lines = await deps.guidedLines(choice, edit, signal)
    if (!lines || (await parsesWorse(deps, edit, lines, signal))) throw error
    return { lines, warning: "The model's answer was not usable, so it was asked to change a single line." }
  }
}

/** Whether the lines introduce syntax errors. */
async function parsesWorse(
  { newSyntaxErrors }: InlineEditDeps,
  { path, before, after, selection }: InlineEditParams,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const textWith = (middle: readonly string[]) => [before, ...middle, after].join('\n')
  return newSyntaxErrors(path, { before: textWith(selection ?? []), after: textWith(lines) }, signal)
}

/** Returns a warning if the lines seem to leave code out. */
function elisionWarning(lines: readonly string[], { selection, path }: InlineEditParams): string | undefined {
  const found = lines.find((line) => isElision(line, path) && selection?.includes(line) !== true)
  return found === undefined
    ? undefined
    : `The answer may leave code out: "${quote(found)}". Check the removed lines before you accept.`
}

function isContextExceeded(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'context_exceeded'
}

/**
 * Collects an answer and reports its lines.
 * @throws ToolError if it only has reasoning, is cut off, or is far longer than an edit needs
 */
async function streamAnswer(
  { onProgress, restoreControlTokens, watchRepetition }: InlineEditDeps,
  edit: InlineEditParams,
  signal: AbortSignal,
  open: (signal: AbortSignal) => ReturnType<ModelClient['stream']>,
): Promise<{ text: string; warning?: string }> {
  const limit = maxInlineAnswer(edit.selection?.join('\n').length ?? 0)
  const progress = createProgress((lines) => onProgress(edit.id, lines), edit)
  // Ends the request of an endless answer.
  const overflow = new AbortController()
  const repeats = watchRepetition()
  let text = ''
  let reasoning = 0
  let warning: string | undefined
  try {
    for await (const event of open(AbortSignal.any([signal, overflow.signal]))) {
      if (event.kind === 'text') {
        text += event.text
        progress.changed(() => restoreControlTokens(text))
      } else if (event.kind === 'reasoning') {
        if (reasoning === 0) onProgress(edit.id, { kind: 'note', text: 'Thinking…' })
        reasoning += event.text.length
      } else if (event.kind === 'wasReasoning') {
        reasoning += text.length
        text = ''
        progress.changed(() => '')
      } else if (event.kind === 'status') onProgress(edit.id, { kind: 'note', text: event.note })
      else if (event.kind === 'discarded') text = ''
      else if (event.kind === 'promptCut') warning = event.text
      else if (event.kind === 'finish' && event.reason === 'length') throw cutOff()
      if (text.length > limit) throw tooLong(limit)
      if ((event.kind === 'text' || event.kind === 'reasoning') && repeats(event.text)) throw repeated()
    }
  } finally {
    progress.stop()
    overflow.abort()
  }
  if (text.trim() === '' && reasoning > 0)
    throw new ToolError(
      'no_change',
      'The model sent only its reasoning and no answer. Nothing was changed.',
      'Send the instruction again, or choose a model without reasoning.',
    )
  return { text: restoreControlTokens(text), ...(warning !== undefined && { warning }) }
}

function cutOff(): ToolError {
  return new ToolError(
    'too_large',
    "The answer was cut off at the server's output limit. Nothing was changed.",
    "Select fewer lines, or raise the server's output and context limits.",
  )
}

function repeated(): ToolError {
  return new ToolError(
    'no_change',
    'The model repeated itself, so its answer was stopped. Nothing was changed.',
    'Send the instruction again, or choose another model.',
  )
}

function tooLong(limit: number): ToolError {
  return new ToolError(
    'too_large',
    `The answer has more than ${plural(limit, 'character')}, far more than the selection, so it was stopped. Nothing was changed.`,
    'Send the instruction again, or choose another model.',
  )
}

/**
 * Reports the complete lines of a growing text, at most once per interval, as the difference to the previous report.
 */
function createProgress(report: (progress: InlineEditProgress) => void, edit: InlineEditParams) {
  let reported: string[] = []
  let latest = (): string => ''
  const flushing = new Delayer(() => {
    const lines = partialLines(latest(), edit)
    let keep = 0
    while (keep < reported.length && keep < lines.length && reported[keep] === lines[keep]) keep += 1
    if (keep === lines.length && keep === reported.length) return
    reported = lines
    report({ kind: 'lines', keep, lines: lines.slice(keep) })
  }, progressInterval)
  return {
    changed(text: () => string): void {
      latest = text
      flushing.start()
    },
    stop: () => flushing.cancel(),
  }
}

/** Matches a comment that stands for unchanged code, such as "... existing code ...". */
const elisionWords = /\b(?:existing|rest|unchanged|same|remaining|previous|other|code)\b/i

/** Whether a line stands for code that a model left out. In Python, a bare `...` is a statement. */
export function isElision(line: string, path: string): boolean {
  const text = line.trim()
  if (/^(?:\.{3}|…)$/.test(text)) return !/\.pyi?$/.test(path)
  const mark = /^(?:\/\/|\/\*|#|--|<!--|\{\/\*|;|%)/.exec(text)?.[0]
  const comment = mark === undefined ? undefined : text.slice(mark.length).trimStart()
  return comment !== undefined && /\.{3}|…/.test(comment) && (/^\W*$/.test(comment) || elisionWords.test(comment))
}
