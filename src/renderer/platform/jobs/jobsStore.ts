import { create } from 'zustand'
import type { Events } from '../../../shared/bridge/protocol.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import { Latest } from '../../../shared/async/latest.ts'
import { onConnected } from '../bridge/bridge.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'

export interface JobsState {
  /** By id, in start order. */
  jobs: Readonly<Record<string, JobInfo>>
  /** Id of the job that the panel shows. */
  selected: string | null
  /** Id of the job whose terminal takes the focus once rendered. */
  focusRequested: string | null
}

export const useJobs = create<JobsState>()(() => ({ jobs: {}, selected: null, focusRequested: null }))

type OutputListener = (data: string) => void
const outputListeners = new Map<string, Set<OutputListener>>()

/** Loads the jobs from main at start and after a reconnect. */
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

/** Selects a job and focuses its terminal, now or once it is rendered. */
export function focusJob(id: string): void {
  useJobs.setState({ selected: id, focusRequested: id })
}

/** Subscribes to new output of a job. @returns a function that unsubscribes */
function onJobOutput(id: string, listener: OutputListener): () => void {
  const listeners = outputListeners.get(id) ?? new Set()
  outputListeners.set(id, listeners)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) outputListeners.delete(id)
  }
}

/** What follows the output of a job. */
interface JobFollower {
  /** Requests the stored output from main. */
  load(id: string): Promise<string>
  write: OutputListener
  /** Discards what was written, because output was missed and the stored output follows. */
  reset(): void
  onError(error: unknown): void
}

/**
 * Writes a job's output in order and without duplicates: first the stored output, then new output. Drops new output
 * that arrives before the stored output, because the stored output contains it. After a connection without the output in
 * between, begins again.
 * @returns a function that stops it
 */
export function followJob(id: string, { load, write, reset, onError }: JobFollower): () => void {
  const loads = new Latest()
  let live = false
  let isWritten = false
  const unsubscribe = onJobOutput(id, (data) => {
    if (live) write(data)
  })
  function begin(): void {
    const isLatest = loads.begin()
    live = false
    load(id).then(
      (history) => {
        if (!isLatest()) return
        if (isWritten) reset()
        live = true
        isWritten = true
        write(history)
      },
      (error: unknown) => {
        // What is shown stays. The next connection loads it again.
        if (isLatest() && !isWritten) onError(error)
      },
    )
  }
  begin()
  const stopReloading = onConnected(begin)
  return () => {
    loads.begin()
    stopReloading()
    unsubscribe()
  }
}

/**
 * Returns the display names of jobs: the user's names, or else the commands, numbered from the second terminal with the
 * same name.
 * @param jobs in start order
 * @returns names by job id
 */
export function jobNames(jobs: readonly JobInfo[]): Map<string, string> {
  const seen = new Map<string, number>()
  return new Map(
    jobs.map((job) => {
      if (job.name !== undefined) return [job.id, visibleText(job.name)]
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

/** Describes the state of a job, for example "running", "waiting for input", "exit 1" or "timed out". */
export function jobStateText(job: JobInfo): string {
  if (job.kind === 'terminal' && isRunning(job)) return 'open'
  if (job.state === 'running') return 'running'
  if (job.state === 'waiting_for_input') return 'waiting for input'
  if (job.endedBy === 'timeout') return 'timed out'
  if (job.endedBy === 'cancel') return 'cancelled'
  if (job.endedBy === 'processes') return 'too many processes'
  if (job.endedBy === 'memory') return 'too much memory'
  if (job.endedBy) return 'stopped'
  if (job.state === 'failed') return 'could not start'
  if (job.signal) return job.signal
  return `exit ${job.exitCode ?? '?'}`
}

/** Returns the color of a job's state. `success`: exit code 0. `ended`: stopped by the user or Tizona. */
export function jobTone(job: JobInfo): 'running' | 'waiting' | 'success' | 'failure' | 'ended' {
  if (job.state === 'running') return 'running'
  if (job.state === 'waiting_for_input') return 'waiting'
  if (job.endedBy === 'stop' || job.endedBy === 'cancel' || job.endedBy === 'shutdown') return 'ended'
  return job.state === 'exited' && job.exitCode === 0 ? 'success' : 'failure'
}
