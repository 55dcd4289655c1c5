import { create } from 'zustand'
import type { AppState, Events } from '../../../shared/protocol.ts'
import type { JobInfo } from '../../../shared/tool.ts'
import { visibleText } from '../../../shared/visibleText.ts'

export interface JobsState {
  /** By id, in the order they were started. */
  jobs: Readonly<Record<string, JobInfo>>
  /** The one whose output the panel shows. */
  selected: string | null
  /** The job whose terminal takes the focus as soon as it is drawn. */
  focusRequested: string | null
}

export const useJobs = create<JobsState>()(() => ({ jobs: {}, selected: null, focusRequested: null }))

type OutputListener = (data: string) => void
const outputListeners = new Map<string, Set<OutputListener>>()

/** Takes over the jobs main knows; at start and after a dropped connection. */
export function restoreJobs({ jobs }: Pick<AppState, 'jobs'>): void {
  const byId = Object.fromEntries(jobs.toSorted((a, b) => a.startedAt - b.startedAt).map((job) => [job.id, job]))
  useJobs.setState(({ selected }) => ({ jobs: byId, selected: selected !== null && byId[selected] ? selected : null }))
}

export const jobEvents = {
  'job.changed'(job: Events['job.changed']) {
    useJobs.setState(({ jobs }) => ({ jobs: { ...jobs, [job.id]: job } }))
  },
  'job.output'({ id, data }: Events['job.output']) {
    for (const listener of outputListeners.get(id) ?? []) listener(data)
  },
  'job.forgotten'({ id }: Events['job.forgotten']) {
    useJobs.setState(({ jobs, selected }) => ({
      jobs: Object.fromEntries(Object.entries(jobs).filter(([each]) => each !== id)),
      selected: selected === id ? null : selected,
    }))
  },
}

export function selectJob(id: string | null): void {
  useJobs.setState({ selected: id })
}

/** Shows a job and puts the focus into its terminal, at once or when it has been drawn. */
export function focusJob(id: string): void {
  useJobs.setState({ selected: id, focusRequested: id })
}

/** Calls back with what a job writes from now on. @returns unsubscribe */
export function onJobOutput(id: string, listener: OutputListener): () => void {
  const listeners = outputListeners.get(id) ?? new Set()
  outputListeners.set(id, listeners)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) outputListeners.delete(id)
  }
}

/**
 * Everything a job wrote and will write, in order and once: the history main holds first, then what is written live.
 * Messages keep their order on the way, so what arrives before the history is part of it.
 * @param load asks main for the history.
 * @returns stop
 */
export function followJob(
  id: string,
  load: (id: string) => Promise<string>,
  write: OutputListener,
  fail: (error: unknown) => void,
): () => void {
  let stopped = false
  let live = false
  const unsubscribe = onJobOutput(id, (data) => {
    if (live) write(data)
  })
  load(id).then(
    (history) => {
      if (stopped) return
      live = true
      write(history)
    },
    (error: unknown) => {
      if (!stopped) fail(error)
    },
  )
  return () => {
    stopped = true
    unsubscribe()
  }
}

/**
 * What jobs are called in a list: their command, and for terminals of the same name a number from the second on.
 * @param jobs in the order they were started. @returns by id
 */
export function jobNames(jobs: readonly JobInfo[]): Map<string, string> {
  const seen = new Map<string, number>()
  return new Map(
    jobs.map((job) => {
      const name = visibleText(job.command)
      if (job.kind !== 'terminal') return [job.id, name]
      const number = (seen.get(name) ?? 0) + 1
      seen.set(name, number)
      return [job.id, number === 1 ? name : `${name} (${number})`]
    }),
  )
}

export function isRunning(job: JobInfo): boolean {
  return job.state === 'running' || job.state === 'waiting_for_input'
}

/** How a job stands, in a few words: "running", "open" (a terminal), "waiting for input", "exit 1", "stopped", "timed out". */
export function jobStateText(job: JobInfo): string {
  // A terminal runs nothing by itself: it is there.
  if (job.kind === 'terminal' && isRunning(job)) return 'open'
  if (job.state === 'running') return 'running'
  if (job.state === 'waiting_for_input') return 'waiting for input'
  if (job.endedBy === 'timeout') return 'timed out'
  if (job.endedBy === 'cancel') return 'cancelled'
  if (job.endedBy) return 'stopped'
  if (job.state === 'failed') return 'could not start'
  if (job.signal) return job.signal
  return `exit ${job.exitCode ?? '?'}`
}

/** `success`: ended with 0. */
export function jobTone(job: JobInfo): 'running' | 'waiting' | 'success' | 'failure' | 'ended' {
  if (job.state === 'running') return 'running'
  if (job.state === 'waiting_for_input') return 'waiting'
  if (job.endedBy === 'stop' || job.endedBy === 'cancel' || job.endedBy === 'shutdown') return 'ended'
  return job.state === 'exited' && job.exitCode === 0 ? 'success' : 'failure'
}
