import type { ToolItem } from '../../shared/agent/conversation.ts'
import type { ToolProgress, ToolResult } from '../../shared/tools/tool.ts'
import { endState } from './conversation/items.ts'
import type { Transcript } from './conversation/transcript.ts'

/** Maximum number of calls of one answer that run at the same time. */
export const maxParallelCalls = 4

/** Passed to a tool call while it runs. */
export interface CallObserver {
  signal: AbortSignal
  /** Called when the call starts to wait for approval, and when it starts to run. */
  onState(state: 'approval' | 'running'): void
  onProgress(progress: ToolProgress): void
}

/** A call whose tool and arguments are known. */
export interface PreparedCall {
  /** Whether the call only reads and needs no approval, so that it can run in parallel with others. */
  runsInParallel: boolean
  /** Whether the call has no effects, regardless of the approval. */
  onlyReads: boolean
  /** Runs the call. A failure is a result with `ok: false`. */
  run(observer: CallObserver): Promise<ToolResult>
}

export interface CallDeps {
  transcript: Transcript
  /** Finds the tool and the arguments of a call. Runs nothing. */
  prepareCall(call: ToolItem): PreparedCall
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
  for (const batch of batches(calls, deps.prepareCall)) {
    const running = runInOrder(batch, deps.signal, ({ item, prepared }, signal) =>
      runCall(item, prepared, { ...deps, signal }),
    )
    for await (const done of running) {
      deps.transcript.put(done.item, done.stored)
      yield done.item
    }
  }
}

interface WaitingCall {
  item: ToolItem
  prepared: PreparedCall
}

/** Splits the calls into those that run together. Each is prepared shortly before it runs. */
function* batches(calls: readonly ToolItem[], prepareCall: CallDeps['prepareCall']): Generator<WaitingCall[]> {
  let parallel: WaitingCall[] = []
  for (const item of calls) {
    const call = { item, prepared: prepareCall(item) }
    if (call.prepared.runsInParallel) parallel.push(call)
    else {
      if (parallel.length > 0) yield parallel
      parallel = []
      yield [call]
    }
  }
  if (parallel.length > 0) yield parallel
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
  prepared: PreparedCall,
  { transcript, reviewNote, calls, signal }: CallDeps,
): Promise<DoneCall> {
  let item: ToolItem = { ...call, at: Date.now(), state: 'running' }
  const update = (change: Partial<ToolItem>) => {
    item = { ...item, ...change }
    transcript.put(item)
  }
  transcript.put(item, 'later')
  const stopped = new AbortController()
  calls?.set(item.id, stopped)
  if (!prepared.onlyReads) transcript.flush()
  const running = prepared.run({
    signal: AbortSignal.any([signal, stopped.signal]),
    onState: (state) => {
      if (state !== item.state) update({ state })
    },
    onProgress: (progress) => {
      if (progress.kind === 'job') update({ job: progress.job })
      else transcript.progress(item.id, progress)
    },
  })
  const result = await running.finally(() => calls?.delete(item.id))
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
    stored: prepared.onlyReads ? 'later' : 'now',
  }
}

/** Runs at most `maxParallelCalls` at a time and yields the results in the order of the calls. */
async function* runInOrder(
  calls: readonly WaitingCall[],
  outer: AbortSignal,
  run: (call: WaitingCall, signal: AbortSignal) => Promise<DoneCall>,
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
