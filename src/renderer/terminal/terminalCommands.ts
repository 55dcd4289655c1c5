import { on, request } from '../platform/bridge/bridge.ts'
import { onAppState } from '../platform/appState.ts'
import { handleCommand } from '../platform/commands.ts'
import { showPanel } from '../platform/layoutStore.ts'
import { registerJobTerminal } from '../platform/jobs/JobTerminal.tsx'
import { focusJob, jobEvents, restoreJobs } from '../platform/jobs/jobsStore.ts'

/** The size of a terminal until its view has been measured. */
const firstSize = { columns: 100, rows: 24 }

/** Opens a terminal of the user's own, shows it and puts the focus into it. */
export async function openTerminal(): Promise<void> {
  const job = await request('terminal.open', firstSize)
  jobEvents['job.changed'](job)
  showPanel()
  focusJob(job.id)
}

/** Follows jobs and answers their commands from the window's start on; called once. @returns stop */
export function registerJobs(): () => void {
  registerJobTerminal(async () => (await import('./JobTerminal.tsx')).JobTerminal)
  const stops = [
    onAppState(restoreJobs),
    on('job.changed', jobEvents['job.changed']),
    on('job.output', jobEvents['job.output']),
    on('job.forgotten', jobEvents['job.forgotten']),
    handleCommand('terminal.new', openTerminal),
  ]
  return () => stops.forEach((stop) => stop())
}
