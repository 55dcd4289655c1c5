import { on, request } from '../platform/bridge/bridge.ts'
import { onAppState } from '../platform/appState.ts'
import { handleCommand } from '../platform/commands.ts'
import { mayOpenTerminal } from '../platform/folderTrust.ts'
import { showPanel } from '../platform/layoutStore.ts'
import { registerJobTerminal } from '../platform/jobs/JobTerminal.tsx'
import { focusJob, jobEvents, restoreJobs } from '../platform/jobs/jobsStore.ts'

/** Size in characters until the view of the terminal has been measured. */
const initialSize = { columns: 100, rows: 24 }

/**
 * Opens an interactive terminal, shows it and focuses it.
 * @param command a line without control characters to run in it
 */
export async function openTerminal(command?: string): Promise<void> {
  if (!(await mayOpenTerminal())) return
  const job = await request('terminal.open', initialSize)
  jobEvents['job.changed'](job)
  showPanel('jobs')
  focusJob(job.id)
  // The shell reads it as if it were typed, and shows it at its prompt.
  if (command !== undefined) await request('jobs.input', { id: job.id, data: `${command}\r` })
}

/**
 * Registers the terminal's commands and view, and subscribes to job events. Called once at start.
 * @returns unregister
 */
export function registerJobs(): () => void {
  registerJobTerminal(async () => (await import('./XtermJobTerminal.tsx')).XtermJobTerminal)
  const stops = [
    onAppState(restoreJobs),
    on('job.changed', jobEvents['job.changed']),
    on('job.output', jobEvents['job.output']),
    on('job.forgotten', jobEvents['job.forgotten']),
    handleCommand('terminal.new', () => openTerminal()),
    handleCommand('terminal.run', (command) => openTerminal(String(command))),
  ]
  return () => stops.forEach((stop) => stop())
}
