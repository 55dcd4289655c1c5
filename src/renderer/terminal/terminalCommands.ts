import { on, request } from '../platform/bridge/bridge.ts'
import { onAppState } from '../platform/appState.ts'
import { handleCommand, runCommand } from '../platform/commands.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { mayOpenTerminal } from '../platform/folderTrust.ts'
import { focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { showPanel, togglePanel, useLayout } from '../platform/layout/layoutStore.ts'
import { registerJobTerminal } from '../platform/jobs/JobTerminal.tsx'
import {
  focusJob,
  isRunning,
  jobEvents,
  jobNames,
  restoreJobs,
  selectJob,
  useJobs,
} from '../platform/jobs/jobsStore.ts'
import { notify } from '../platform/notices.ts'
import { chooseRecentCommand, clearRecentCommands } from './recentCommands.ts'
import { chooseFolder } from '../platform/quickPick/chooseFolder.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { neighborOf, splitBeside, withoutUnknown } from './splits.ts'
import { terminalView, useTerminalFind } from './terminalViews.ts'

/** Size in characters until the terminal view has been measured. */
const initialSize = { columns: 100, rows: 24 }

interface TerminalOptions {
  /** A command line without control characters to run in the terminal. */
  command?: string
  /** Id of the job to the right of which the terminal opens. */
  beside?: string
  /** Folder in which it starts. Default: the open folder, or the one that the user selects. */
  folder?: string
}

/** Opens an interactive terminal, shows it and focuses it. */
export async function openTerminal({ command, beside, folder }: TerminalOptions = {}): Promise<void> {
  if (!(await mayOpenTerminal())) return
  const start = folder ?? (await chooseFolder('Select current working directory for new terminal'))
  if (start === null) return
  const job = await request('terminal.open', { ...initialSize, ...(start !== '.' && { folder: start }) })
  jobEvents['job.changed'](job)
  if (beside !== undefined) {
    const known = (id: string) => id in useJobs.getState().jobs
    useLayout.setState(({ terminals }) => ({
      terminals: { splits: splitBeside(withoutUnknown(terminals.splits, known), beside, job.id) },
    }))
  }
  showPanel('jobs')
  focusJob(job.id)
  if (command !== undefined) await typeLine(job.id, command)
}

/** Sends a line to a shell as if the user had typed it. */
async function typeLine(id: string, line: string): Promise<void> {
  await request('jobs.input', { id, data: `${line}\r` })
}

/** Deletes what is typed at a prompt: end of the line, then from its start. */
const deleteLine = '\u0005\u0015'

/** Id of the job that the panel shows. @returns undefined if there are no jobs */
function shownJob(): string | undefined {
  const { jobs, selected } = useJobs.getState()
  return selected !== null && jobs[selected] ? selected : Object.keys(jobs).at(-1)
}

/** Creates a handler for the shown job. Shows a notice if there is none. */
function withJob(act: (id: string) => void | Promise<void>): () => void | Promise<void> {
  return () => {
    const id = shownJob()
    if (id !== undefined) return act(id)
    notify('warning', 'No terminal is open.', { detail: 'Open one with the command "New terminal".' })
  }
}

async function rename(id: string): Promise<void> {
  const { jobs } = useJobs.getState()
  const name = await promptText({
    title: 'Rename terminal',
    label: 'Terminal name (empty: use the command)',
    button: 'Rename',
    initial: jobNames(Object.values(jobs)).get(id),
    problem: (text) => (text.length > 100 ? 'The name can have at most 100 characters.' : null),
  })
  if (name !== null) await request('jobs.rename', { id, name })
}

function find(id: string): void {
  showPanel('jobs')
  useTerminalFind.setState({ finding: id, found: null })
}

function focusNeighbor(step: 1 | -1): (id: string) => void {
  return (id) => {
    const { jobs } = useJobs.getState()
    const splits = withoutUnknown(useLayout.getState().terminals.splits, (each) => each in jobs)
    showPanel('jobs')
    focusJob(neighborOf(splits, id, step))
  }
}

/** Returns the last shown terminal that accepts input. */
function runningTerminal(): string | undefined {
  const jobs = Object.values(useJobs.getState().jobs).filter((job) => job.kind === 'terminal' && isRunning(job))
  return (jobs.find(({ id }) => id === shownJob()) ?? jobs.at(-1))?.id
}

/**
 * Shows and focuses a terminal, opening one if none is running. If a terminal has the focus, hides the panel instead.
 */
async function toggleTerminal(): Promise<void> {
  const { panel } = useLayout.getState()
  if (panel.visible && panel.view === 'jobs' && document.activeElement?.closest('[data-region="panel"]')) {
    togglePanel()
    focusRegionNamed('editor')
    return
  }
  const id = runningTerminal()
  if (id === undefined) return openTerminal()
  showPanel('jobs')
  focusJob(id)
}

/** Sends the editor's selected text, or the cursor's line, to a terminal. */
async function runSelection(): Promise<void> {
  const view = viewOf(useTabs.getState().activeGroup)
  if (!view) return
  const selected = view.hasSelection() ? view.selection().text : view.lineText(view.cursor().line)
  // As in VS Code, each line is run, and the editor keeps the focus.
  const line = selected.replace(/(?:\r?\n)+$/, '').replaceAll(/\r?\n/g, '\r')
  if (line.trim() === '') return notify('warning', 'No text is selected, and the line at the cursor is empty.')
  const id = runningTerminal()
  if (id === undefined) return openTerminal({ command: line })
  showPanel('jobs')
  useJobs.setState({ selected: id })
  await typeLine(id, line)
}

/** Runs a command again: in the shown terminal if its shell waits for one, else in a new terminal. */
async function runRecent(): Promise<void> {
  const command = await chooseRecentCommand()
  if (command === null) return
  const id = runningTerminal()
  // Several lines are pasted, so that the shell runs them together.
  const line = command.includes('\n') ? `\u001b[200~${command}\u001b[201~` : command
  if (id === undefined || terminalView(id)?.atPrompt() !== true) return openTerminal({ command: line })
  showPanel('jobs')
  focusJob(id)
  await typeLine(id, `${deleteLine}${line}`)
}

/** Adds text from a terminal to the chat draft. */
function addToChat(id: string, what: 'selection' | 'output'): void {
  const { jobs } = useJobs.getState()
  const name = jobNames(Object.values(jobs)).get(id) ?? ''
  const view = terminalView(id)
  const text = (what === 'selection' ? view?.selection() : view?.lastOutput()) ?? ''
  if (text.trim() === '') {
    notify(
      'warning',
      what === 'selection' ? 'No text is selected in the terminal.' : 'No command has printed anything.',
      {
        detail: view ? undefined : 'Show the terminal in the bottom panel first.',
      },
    )
    return
  }
  const heading = what === 'selection' ? `From the terminal \`${name}\`` : `Last output of the terminal \`${name}\``
  runCommand('chat.addText', { heading, text })
}

/**
 * Registers the terminal's commands and view, and subscribes to job events. Called once at start.
 * @returns a function that unregisters them
 */
export function registerJobs(): () => void {
  registerJobTerminal(async () => (await import('./XtermJobTerminal.tsx')).XtermJobTerminal)
  const stops = [
    onAppState(restoreJobs),
    on('job.changed', jobEvents['job.changed']),
    on('job.output', jobEvents['job.output']),
    on('job.forgotten', jobEvents['job.forgotten']),
    on('debug.terminal', ({ jobId }) => {
      showPanel('jobs')
      selectJob(jobId)
    }),
    handleCommand('terminal.new', () => openTerminal()),
    handleCommand('terminal.openIn', (folder) => openTerminal({ folder: String(folder) })),
    handleCommand('terminal.toggle', toggleTerminal),
    handleCommand('terminal.split', () => openTerminal({ beside: shownJob() })),
    handleCommand('terminal.run', (given) => openTerminal(given as { command: string; folder?: string })),
    handleCommand('terminal.rename', withJob(rename)),
    handleCommand(
      'terminal.clear',
      withJob((id) => terminalView(id)?.clear()),
    ),
    handleCommand('terminal.runRecent', runRecent),
    handleCommand('terminal.clearRecent', clearRecentCommands),
    handleCommand(
      'terminal.previousCommand',
      withJob((id) => terminalView(id)?.scrollToCommand(-1)),
    ),
    handleCommand(
      'terminal.nextCommand',
      withJob((id) => terminalView(id)?.scrollToCommand(1)),
    ),
    handleCommand('terminal.find', withJob(find)),
    handleCommand('terminal.focusNext', withJob(focusNeighbor(1))),
    handleCommand('terminal.focusPrevious', withJob(focusNeighbor(-1))),
    handleCommand('terminal.runSelection', runSelection),
    handleCommand(
      'terminal.addSelectionToChat',
      withJob((id) => addToChat(id, 'selection')),
    ),
    handleCommand(
      'terminal.addOutputToChat',
      withJob((id) => addToChat(id, 'output')),
    ),
  ]
  return () => stops.forEach((stop) => stop())
}
