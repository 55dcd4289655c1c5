import { isUntitled } from '../../../shared/files/untitled.ts'
import { create } from 'zustand'
import type { DebugChoice, DebuggerStatus, DebugInput } from '../../../shared/debug/debug.ts'
import type { DebugTarget } from '../../../shared/debug/debugRequests.ts'
import { isAbort, toFailure, type Failure } from '../../../shared/errors.ts'
import { on, request } from '../../platform/bridge/bridge.ts'
import { pathInFolder } from '../../../shared/files/workspaceFolders.ts'
import { absolutePathOf, currentWorkspace, onAppState } from '../../platform/appState.ts'
import { chooseFolder } from '../../platform/quickPick/chooseFolder.ts'
import { promptText } from '../../platform/conversation/promptText.ts'
import { documents } from '../../platform/editor/documents/windowDocuments.ts'
import { openFile, saveFiles } from '../../platform/editor/editorService.ts'
import type { TabsState } from '../../platform/editor/tabsState.ts'
import { activeTab, useTabs } from '../../platform/editor/tabsStore.ts'
import { showPanel, useLayout } from '../../platform/layout/layoutStore.ts'
import { attempt } from '../../platform/notices.ts'
import { quickPick } from '../../platform/quickPick/quickPick.ts'
import { Latest } from '../../../shared/async/latest.ts'
import { debugSessions } from '../debugSessions.ts'

/** Path of the configurations, as in VS Code. */
const launchFile = '.vscode/launch.json'

interface StartState {
  /** Configurations and compounds of launch.json. */
  choices: readonly DebugChoice[]
  /** Problem in launch.json. */
  problem: string | null
  /** Null until the search has finished. */
  debuggers: readonly DebuggerStatus[] | null
  /** Name of the configuration or file that is starting. */
  starting: string | null
  /** Why the last start failed. */
  failure: Failure | null
}

const initial: StartState = { choices: [], problem: null, debuggers: null, starting: null, failure: null }

export const useDebugStart = create<StartState>()(() => initial)

const loads = { choices: new Latest(), debuggers: new Latest() }

/** Reloads launch.json. */
export async function loadChoices(): Promise<void> {
  const isLatest = loads.choices.begin()
  const { choices, problem = null } = await request('debug.choices', {})
  if (isLatest()) useDebugStart.setState({ choices, problem })
}

/** Searches this machine for debuggers. */
export async function loadDebuggers(): Promise<void> {
  const isLatest = loads.debuggers.begin()
  const debuggers = await request('debug.debuggers', {})
  if (isLatest()) useDebugStart.setState({ debuggers })
}

/** Path of the active file, if it is in the folder. */
export function activeFile(state: TabsState = useTabs.getState()): string | null {
  const tab = activeTab(state)
  return tab?.kind === 'file' ? tab.path : null
}

/** Value of the selector for the active file. Configurations use their names, which are never empty. */
export const fileChoice = ''

/**
 * Pure: returns what the start button starts: the stored choice if it still exists, else the active file or the first
 * configuration.
 * @param file whether a file is active
 */
export function effectiveChoice(stored: string, choices: readonly DebugChoice[], file: boolean): string {
  if (stored !== fileChoice && choices.some(({ name, problem }) => name === stored && problem === undefined))
    return stored
  const first = choices.find(({ problem }) => problem === undefined)
  return file ? fileChoice : (first?.name ?? fileChoice)
}

export function saveChoice(choice: string): void {
  useLayout.setState(({ debug }) => ({ debug: { ...debug, choice } }))
}

/** Asks for the value of an input. @returns null if it is cancelled */
async function askInput(input: DebugInput): Promise<string | null> {
  if (input.kind === 'pick') {
    const picked = await quickPick({
      title: input.description,
      items: (input.options ?? []).map((option) => ({ id: option, label: option, current: option === input.default })),
    })
    return picked?.id ?? null
  }
  return promptText({
    title: 'Configuration input',
    label: input.description,
    button: 'Continue',
    ...(input.default !== undefined && { initial: input.default }),
    ...(input.password === true && { password: true }),
    problem: () => null,
  })
}

/** Asks for all inputs of a configuration. @returns null if one is cancelled */
async function askInputs(name: string): Promise<Record<string, string> | null> {
  const answers: Record<string, string> = {}
  for (const input of await request('debug.inputs', { name })) {
    const answer = await askInput(input)
    if (answer === null) return null
    answers[input.id] = answer
  }
  return answers
}

/** Starts a target. Failures are shown in the Run view and, with the debugger's output, in the debug console. */
async function start(name: string, target: DebugTarget): Promise<void> {
  if (useDebugStart.getState().starting !== null) return
  useDebugStart.setState({ starting: name, failure: null })
  try {
    if (!(await saveFiles(documents.dirtyPaths().filter((path) => !isUntitled(path))))) return
    showPanel('debug')
    await request('debug.start', { target })
  } catch (error) {
    if (isAbort(error)) return
    const failure = toFailure(error)
    useDebugStart.setState({ failure })
    ;(await debugSessions.load()).reportStartFailure(name, failure)
  } finally {
    useDebugStart.setState({ starting: null })
  }
}

/** Starts what the selector shows: a configuration of launch.json, or the active file. */
export async function startChosen(): Promise<void> {
  const file = activeFile()
  const choice = effectiveChoice(useLayout.getState().debug.choice, useDebugStart.getState().choices, file !== null)
  if (choice !== fileChoice) await startConfiguration(choice)
  else if (file !== null) await startFile(file)
}

/** Starts a configuration or compound of launch.json. Asks for its inputs first. */
export async function startConfiguration(name: string): Promise<void> {
  const inputs = await askInputs(name)
  if (inputs !== null) await start(name, { kind: 'configuration', name, inputs })
}

export async function startFile(path: string): Promise<void> {
  await start(path.slice(path.lastIndexOf('/') + 1), { kind: 'file', path })
}

export async function startTest(path: string, name: string): Promise<void> {
  await start(name, { kind: 'test', path, name })
}

/** Attaches to a process or port on this machine. */
export async function attach(target: Omit<Extract<DebugTarget, { kind: 'attach' }>, 'kind'>): Promise<void> {
  const name = target.port === undefined ? `Process ${target.processId}` : `Port ${target.port}`
  await start(name, { kind: 'attach', ...target })
}

/** Opens launch.json. Creates it with examples if it is missing. */
export async function openLaunchFile(): Promise<void> {
  const file = activeFile()
  const folder = await chooseFolder('Select the folder whose launch.json to open')
  if (folder === null) return
  const path = folder === '.' ? launchFile : `${folder}/${launchFile}`
  const [known] = await request('files.locate', { paths: [absolutePathOf(path)] })
  if (known?.kind === 'missing') {
    const { launchTemplate } = await import('./launchTemplate.ts')
    await request('files.create', { path, directory: false })
    const format = { encoding: 'utf8', eol: '\n' } as const
    await request('files.write', { path, text: launchTemplate(file), format, force: true })
  }
  await openFile(path)
}

/** Keeps the configurations current. @returns a function that stops it */
export function followLaunchFile(): () => void {
  const stops = [
    onAppState(({ workspace }) => {
      useDebugStart.setState(initial)
      if (workspace !== null) attempt(loadChoices, 'launch.json could not be read')
    }),
    on('files.changed', ({ changes, overflow }) => {
      const isRelevant =
        overflow || changes.some(({ path }) => [launchFile, '.vscode'].includes(pathInFolder(currentWorkspace(), path)))
      if (isRelevant && currentWorkspace() !== null) attempt(loadChoices, 'launch.json could not be read')
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
