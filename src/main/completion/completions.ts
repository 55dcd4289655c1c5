import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { CompletionSuggestion, CompletionParams, SeenCode } from '../../shared/editor/inlineCompletion.ts'
import { isAbort } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { FimClient, FimRequest } from '../model/fim/fimClient.ts'
import type { CompletionCounter } from './completionFigures.ts'
import { createFailurePauses } from './failurePauses.ts'
import { createLatestRequest, pauseFor } from './latestRequest.ts'
import { createSeenCodeRing } from './seenCode.ts'
import { createSuggestionCache } from './suggestionCache.ts'
import { isEnough, restOfLine, trimSuggestion, type Suggestion } from './trimSuggestion.ts'

export interface CompletionDeps {
  settings(): Settings['completion']
  client: Pick<FimClient, 'complete'>
  /** Whether a file of the folder may be sent to a model. @throws ToolError if it cannot be resolved */
  isAllowed(path: string): Promise<boolean>
  /** Whether the text of a file may still be sent, for text that the user has seen earlier. */
  isReadable(path: string): boolean
  definitions: FindDefinitions
  /** Describes errors near a line, for example "line 4: ; expected". */
  problemsNear?(path: string, line: number): readonly string[]
  counter: CompletionCounter
  /** Informs the user that suggestions fail. Not called again before one succeeds or the settings change. */
  onFailed(error: unknown): void
  onRecovered(): void
}

/** Suggestions while typing. At most one request runs; the next key cancels it. */
export interface Completions {
  suggest(params: CompletionParams, closed: AbortSignal): Promise<CompletionSuggestion>
  cancel(id: string): void
  /** Adds code that the user has left, saved or copied to the context of later suggestions. */
  seen(code: SeenCode): Promise<void>
  /** Forgets answers, context and failures, for example after a change of the settings or the folder. */
  reset(): void
  /** Cancels everything. Resolves when no request is running. */
  stop(): Promise<void>
}

/** Milliseconds without a key before a request, so that fast typing does not start one for each key. */
const settleMs = 60
/** Milliseconds for which llama.cpp generates, as in llama.vscode. */
const predictMs = 500
/** Milliseconds for which a suggestion must be visible before its continuation is requested. */
const prefetchMs = 500

export function createCompletions(deps: CompletionDeps): Completions {
  const cache = createSuggestionCache()
  const requests = createLatestRequest()
  const context = createCompletionContext(deps)
  const failures = createFailurePauses(deps)
  let prefetch: NodeJS.Timeout | undefined

  /** Requests a suggestion and stores it. @throws ModelError, AbortError */
  async function request(choice: ModelChoice, params: CompletionParams, signal: AbortSignal): Promise<Suggestion> {
    deps.counter.count({ requests: 1 })
    try {
      const fim = { ...context.of(params), maxTokens: deps.settings().maxTokens, predictMs }
      const answer = await deps.client.complete(choice, fim, signal, (text) => isEnough(text, params))
      const suggestion = trimSuggestion(answer, params)
      cache.add(keyOf(choice), params.path, params, suggestion)
      return suggestion
    } finally {
      if (signal.aborted) deps.counter.count({ cancelled: 1 })
    }
  }

  /** Requests the continuation of a suggestion, so that it is ready when the user accepts it. */
  function prefetchAfter(choice: ModelChoice, params: CompletionParams, suggestion: Suggestion): void {
    clearTimeout(prefetch)
    const { text, replaces } = suggestion
    const after = params.after.slice(replaces)
    if (text === '' || restOfLine({ after }) !== '') return
    prefetch = setTimeout(() => {
      const line = params.line + text.split('\n').length - 1
      const next = { ...params, before: params.before + text, after, line }
      if (cache.find(keyOf(choice), next.path, next) !== undefined) return
      requests
        .start('prefetch', neverAborted, (signal) => request(choice, next, signal))
        // The next key reports a failure.
        .catch(() => undefined)
    }, prefetchMs)
  }

  function stopRequests(): void {
    clearTimeout(prefetch)
    requests.cancelAny()
  }

  return {
    async suggest(params, closed) {
      const { model: choice, enabled } = deps.settings()
      if (!enabled || !choice) return null
      deps.counter.count({ keys: 1 })
      clearTimeout(prefetch)
      try {
        // Starts at once, so that keys cancel each other in order, however long their checks take.
        return await requests.start(params.id, closed, async (signal) => {
          if (!(await deps.isAllowed(params.path))) return null
          signal.throwIfAborted()
          const cached = cache.find(keyOf(choice), params.path, params)
          if (cached !== undefined) {
            deps.counter.count({ fromCache: 1 })
            prefetchAfter(choice, params, cached)
            return answerOf(cached, true)
          }
          if (failures.isPaused()) return null
          context.prepare(params)
          await pauseFor(settleMs, signal)
          const suggestion = await request(choice, params, signal)
          failures.succeeded()
          prefetchAfter(choice, params, suggestion)
          return answerOf(suggestion, false)
        })
      } catch (error) {
        if (!closed.aborted && !isAbort(error)) failures.failed(error)
        return null
      }
    },
    cancel: requests.cancel,
    async seen(code) {
      if (deps.settings().enabled && (await deps.isAllowed(code.path))) context.seen(code)
    },
    reset() {
      stopRequests()
      cache.clear()
      context.clear()
      failures.succeeded()
    },
    stop() {
      stopRequests()
      return requests.ended()
    },
  }
}

/** Returns the context of a request besides the text around the cursor. */
function createCompletionContext({ definitions: find, isReadable, problemsNear }: CompletionDeps) {
  const ring = createSeenCodeRing()
  const definitions = createDefinitionsAhead(find)
  return {
    seen: ring.add,
    prepare: definitions.prepare,
    of(params: CompletionParams): Pick<FimRequest, 'file' | 'chunks' | 'indent'> {
      const { path, line, before, after } = params
      const chunks = ring.chunks(params).filter((chunk) => isReadable(chunk.path))
      const found = definitions.of(path)
      const problems = problemsNear?.(path, line) ?? []
      // The most volatile part comes last, so that the server can reuse the parts before it.
      if (found !== '') chunks.push({ path: 'definitions', text: found })
      if (problems.length > 0) chunks.push({ path: 'problems', text: problems.join('\n') })
      const currentLine = before.slice(before.lastIndexOf('\n') + 1)
      return { file: { path, before, after }, chunks, indent: /^[ \t]*/.exec(currentLine)?.[0].length ?? 0 }
    },
    clear(): void {
      ring.clear()
      definitions.clear()
    },
  }
}

const neverAborted = new AbortController().signal
const keyOf = ({ endpointId, model }: ModelChoice): string => `${endpointId} ${model}`
const answerOf = (suggestion: Suggestion, cached: boolean): CompletionSuggestion =>
  suggestion.text === '' ? null : { ...suggestion, cached }

/** Finds definitions of names in lines, as text for the model; '' if there are none. */
type FindDefinitions = (place: { path: string; line: number; lines: string[] }, signal: AbortSignal) => Promise<string>

interface DefinitionsAhead {
  /** The latest definitions for this file. */
  of(path: string): string
  /** Starts a lookup if the cursor is on another line than before. */
  prepare(params: CompletionParams): void
  clear(): void
}

/** Number of lines at the cursor whose names are looked up. */
const lookedUpLines = 6

/** Looks up definitions ahead of time, so that no key waits for the index. */
function createDefinitionsAhead(find: FindDefinitions): DefinitionsAhead {
  let known = { path: '', text: '' }
  let place = ''
  let lookup: AbortController | undefined
  return {
    of: (path) => (known.path === path ? known.text : ''),
    prepare({ path, line, before }) {
      const here = `${line} ${path}`
      if (place === here) return
      place = here
      lookup?.abort()
      lookup = new AbortController()
      const { signal } = lookup
      const lines = before.split('\n').slice(-lookedUpLines)
      find({ path, line: line - lines.length + 1, lines }, signal).then(
        (text) => {
          if (!signal.aborted) known = { path, text }
        },
        // Suggestions work without definitions. The index reports its own problems.
        () => undefined,
      )
    },
    clear() {
      lookup?.abort()
      known = { path: '', text: '' }
      place = ''
    },
  }
}
