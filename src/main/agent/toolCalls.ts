import type { ToolItem } from '../../shared/agent/conversation.ts'
import type { ToolProgress, ToolResult } from '../../shared/tools/tool.ts'
import { endState } from './conversation/items.ts'
import type { Transcript } from './conversation/transcript.ts'

/** Maximum number of calls of one answer that run at the same time. */
export const maxParallelCalls = 4

/** Passed to a tool call while it runs. */
export interface CallObserver {
  signal: AbortSignal
  /** See `ToolCallRequest`. */
  onResolved(onlyReads: boolean): void
  /** Called when the call starts to wait for approval, and when it starts to run. */
  onState(state: 'approval' | 'running'): void
  onProgress(progress: ToolProgress): void
}

export interface CallDeps {
  transcript: Transcript
  /** Runs a call. A failure is a result with `ok: false`. */
  callTool(call: ToolItem, observer: CallObserver): Promise<ToolResult>
  /** Whether a call only reads and needs no approval, so that it may run beside others. */
  runsInParallel(call: ToolItem): boolean
  /** Returns, once, what the user undid in the review, for the model. */
  reviewNote?(): string | undefined
  /** The running calls by the id of their item. Aborting one stops it alone. */
  calls?: Map<string, AbortController>
  signal: AbortSignal
}

/**
 * Runs the calls of one answer. Runs adjacent calls in parallel where allowed, and any other call alone. Leaving the
 * loop early cancels the calls that still run.
 * @returns the calls with their results, recorded in the transcript in the order of the calls
 */
export async function* runCalls(calls: readonly ToolItem[], deps: CallDeps): AsyncGenerator<ToolItem> {
  let next = 0
  while (next < calls.length) {
    const batch = nextBatch(calls.slice(next), deps)
    next += batch.length
    for await (const done of runInOrder(batch, deps.signal, (call, signal) => runCall(call, { ...deps, signal }))) {
      deps.transcript.put(done.item, done.stored)
      yield done.item
    }
  }
}

/** Returns the next calls to start: the first one, with those after it that may run in parallel. */
function nextBatch(calls: readonly ToolItem[], { runsInParallel }: CallDeps): readonly ToolItem[] {
  if (calls.length === 1) return calls
  const barrier = calls.findIndex((call) => !runsInParallel(call))
  return calls.slice(0, barrier < 0 ? calls.length : Math.max(1, barrier))
}

interface DoneCall {
  item: ToolItem
  /** `later` for reads: they can be repeated, and each write delays the next request. */
  stored: 'now' | 'later'
}

/**
 * Runs one call and updates its card meanwhile. Stores that it began before it can have effects, so that they are not
 * forgotten if the process is killed.
 */
async function runCall(
  call: ToolItem,
  { transcript, callTool, reviewNote, calls, signal }: CallDeps,
): Promise<DoneCall> {
  let item: ToolItem = { ...call, at: Date.now(), state: 'running' }
  let stored: DoneCall['stored'] = 'now'
  const update = (change: Partial<ToolItem>) => {
    item = { ...item, ...change }
    transcript.put(item)
  }
  transcript.put(item, 'later')
  const stopped = new AbortController()
  calls?.set(item.id, stopped)
  const result = await callTool(item, {
    signal: AbortSignal.any([signal, stopped.signal]),
    onResolved: (onlyReads) => {
      if (onlyReads) stored = 'later'
      else transcript.flush()
    },
    onState: (state) => {
      if (state !== item.state) update({ state })
    },
    onProgress: (progress) => {
      if (progress.kind === 'job') update({ job: progress.job })
      else transcript.progress(item.id, progress)
    },
  }).finally(() => calls?.delete(item.id))
  const job = result.view.kind === 'command' ? result.view.job : item.job
  const note = reviewNote?.()
  return {
    item: {
      ...item,
      ...(note !== undefined && { reviewNote: note }),
      result,
      job,
      endedAt: Date.now(),
      approval: undefined,
      state: endState(result),
    },
    stored,
  }
}

/** Runs at most `maxParallelCalls` at a time and yields the results in the order of the calls. */
async function* runInOrder(
  calls: readonly ToolItem[],
  outer: AbortSignal,
  run: (call: ToolItem, signal: AbortSignal) => Promise<DoneCall>,
): AsyncGenerator<DoneCall> {
  const leftEarly = new AbortController()
  const signal = AbortSignal.any([outer, leftEarly.signal])
  const queue = calls.map((call) => ({ call, ...Promise.withResolvers<DoneCall>() }))
  // Prevents unhandled rejections: a later call may fail while an earlier one is awaited below.
  for (const { promise } of queue) promise.catch(() => undefined)
  const waiting = queue.values()
  const worker = async () => {
    for (const { call, resolve, reject } of waiting) {
      if (leftEarly.signal.aborted) return
      await run(call, signal).then(resolve, reject)
    }
  }
  const workers = Array.from({ length: Math.min(maxParallelCalls, queue.length) }, worker)
  let remaining = queue.length
  try {
    for (const { promise } of queue) {
      const done = await promise
      remaining -= 1
      yield done
    }
  } finally {
    if (remaining > 0) leftEarly.abort()
    await Promise.all(workers)
  }
}
