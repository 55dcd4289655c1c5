import type { DebugSessionInfo } from '../../shared/debug/debug.ts'
import type { DebugAction } from '../../shared/debug/debugRequests.ts'
import { request } from '../platform/bridge/bridge.ts'
import { defineCondition, handleCommand } from '../platform/commands.ts'
import { selectedSession, useDebug } from '../platform/debug/debugStore.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { activeTab, useTabs } from '../platform/editor/tabsStore.ts'
import { showSideBar } from '../platform/layout/layoutStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { editBreakpoint, toggleBreakpoint, type BreakpointText } from './lineBreakpoints.ts'
import {
  startChosen,
  startConfiguration,
  startFile,
  startTest,
  loadChoices,
  useDebugStart,
} from './views/startDebugging.ts'

/** Returns the active file's path and the cursor's line. Null if no file is active. */
function cursorPlace(): { path: string; line: number } | null {
  const tabs = useTabs.getState()
  const tab = activeTab(tabs)
  if (tab?.kind !== 'file') return null
  return { path: tab.path, line: viewOf(tabs.activeGroup)?.cursor().line ?? 1 }
}

/** The selected session if it has not ended. */
function liveSession(): DebugSessionInfo | undefined {
  const session = selectedSession()
  return session === undefined || session.state === 'ended' ? undefined : session
}

async function control(action: DebugAction): Promise<void> {
  const session = liveSession()
  if (session === undefined) return
  const { selectedThread } = useDebug.getState()
  await request('debug.control', {
    sessionId: session.id,
    action,
    ...(selectedThread !== null && { threadId: selectedThread }),
  })
}

/** Continues the stopped program, or starts the configuration that is selected in the Run view. */
async function startOrContinue(): Promise<void> {
  if (liveSession()?.state === 'stopped') await control('continue')
  else if (liveSession() === undefined) await startChosen()
}

/** Ends the session and starts it again, unless the debugger can do this itself. */
async function restart(): Promise<void> {
  const session = liveSession()
  if (session === undefined) return
  if (session.features.restart) return control('restart')
  await control('stop')
  await startChosen()
}

/** Asks what to debug: a configuration of launch.json or the active file. */
async function chooseAndStart(): Promise<void> {
  await loadChoices()
  const { choices } = useDebugStart.getState()
  const file = cursorPlace()
  const picked = await quickPick({
    title: 'Start debugging',
    placeholder: 'Configuration',
    empty: 'No configuration in .vscode/launch.json, and no file is open.',
    items: [
      ...(file === null ? [] : [{ id: 'file', label: 'Debug this file', description: file.path, icon: 'file' }]),
      ...choices.map(({ name, problem }, index) => ({
        id: String(index),
        label: name,
        icon: 'debug-alt',
        ...(problem !== undefined && { disabled: true, description: problem }),
      })),
    ],
  })
  if (picked === null) return
  const choice = choices[Number(picked.id)]
  if (picked.id === 'file' && file !== null) await startFile(file.path)
  else if (choice !== undefined) await startConfiguration(choice.name)
}

/** Debugs the test at or above the cursor, or else the first one. */
async function debugTestAtCursor(): Promise<void> {
  const place = cursorPlace()
  const text = place && documents.buffer(place.path)?.text()
  if (place === null || text === null || text === undefined) return
  const tests = await request('tests.find', { path: place.path, text })
  const test = tests.findLast(({ line }) => line <= place.line) ?? tests[0]
  if (test === undefined) notify('info', 'No test of a supported framework was found in this file.')
  else await startTest(place.path, test.name)
}

const atCursor = (change: (path: string, line: number) => Promise<void>) => async () => {
  const place = cursorPlace()
  if (place !== null) await change(place.path, place.line)
}
const edit = (text: BreakpointText) => atCursor((path, line) => editBreakpoint(path, line, text))

/** Shows the line of each newly selected frame. */
function followSelectedFrame(): () => void {
  let known = ''
  return useDebug.subscribe(({ selectedFrame: frame, selectedSession: id, sessions }) => {
    const stop = sessions.find((session) => session.id === id)?.stopCount
    const next = frame === null ? '' : `${id} ${stop} ${frame.id}`
    if (next === known) return
    known = next
    const path = frame?.path
    if (frame === null || path === undefined) return
    attempt(() =>
      openFile(path, { line: frame.line, column: Math.max(1, frame.column) }, { focus: false, reveal: true }),
    )
  })
}

/** Shows the Run view when the first session stops, as in VS Code. */
function showViewAtFirstStop(): () => void {
  const seen = new Set<string>()
  return useDebug.subscribe(({ sessions }) => {
    for (const { id, state } of sessions) {
      if (state !== 'stopped' || seen.has(id)) continue
      seen.add(id)
      showSideBar('debug')
    }
  })
}

/** Registers the debugger's commands and editor extensions. @returns a function that unregisters them */
export function registerDebugEditor(): () => void {
  defineCondition('debugging', () => liveSession() !== undefined)
  defineCondition('debugRunning', () => liveSession()?.state === 'running')
  defineCondition('debugStopped', () => liveSession()?.state === 'stopped')
  const stops = [
    handleCommand('debug.start', startOrContinue),
    handleCommand('debug.choose', chooseAndStart),
    handleCommand('debug.file', async (path) => {
      const chosen = typeof path === 'string' ? path : cursorPlace()?.path
      if (chosen !== undefined) await startFile(chosen)
    }),
    handleCommand('debug.test', debugTestAtCursor),
    handleCommand('debug.stop', () => control('stop')),
    handleCommand('debug.restart', restart),
    handleCommand('debug.pause', () => control('pause')),
    handleCommand('debug.stepOver', () => control('next')),
    handleCommand('debug.stepInto', () => control('stepIn')),
    handleCommand('debug.stepOut', () => control('stepOut')),
    handleCommand('debug.toggleBreakpoint', atCursor(toggleBreakpoint)),
    handleCommand('debug.conditionalBreakpoint', edit('condition')),
    handleCommand('debug.logpoint', edit('logMessage')),
    handleCommand('debug.removeBreakpoints', async () =>
      (await import('./views/breakpointChanges.ts')).removeAllBreakpoints(),
    ),
    followSelectedFrame(),
    showViewAtFirstStop(),
    contributeEditorExtension(async () => (await import('./editor/breakpointMarks.tsx')).breakpointMarks),
    contributeEditorExtension(async () => (await import('./editor/debugMenuItems.ts')).addDebugItems),
    contributeEditorExtension(async () => (await import('./editor/stoppedLine.ts')).stoppedLine),
    contributeEditorExtension(async () => (await import('./editor/exceptionWidget.tsx')).exceptionWidget),
    contributeLanguageFeatures(async () => {
      const { registerLaunchSchema } = await import('./editor/launchSchema.ts')
      // Without it, for example while disconnected, launch.json has no completion.
      await registerLaunchSchema().catch(() => undefined)
    }),
    contributeLanguageFeatures(async () => {
      ;(await import('./editor/debugHover.ts')).registerDebugHover()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
