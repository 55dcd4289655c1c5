import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { commands, keysFor } from '../../../shared/editor/commandsAndKeybindings.ts'
import type { UserKeybinding } from '../../../shared/editor/keymap.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { testMain } from '../../testing/testMain.ts'
import { registerChat } from '../../chat/chatCommands.ts'
import { registerEditor } from '../../editor/editorCommands.ts'
import { registerExplorer } from '../../explorer/explorerActions.ts'
import { registerTimeline } from '../../timeline/registerTimeline.ts'
import { registerTasks } from '../../tasks/taskCommands.ts'
import { registerDebugEditor } from '../../debug/debugCommands.ts'
import { registerDebugViews } from '../../debug/views/registerDebugViews.ts'
import { registerFirstSteps } from '../../welcome/firstSteps/firstStepsStore.ts'
import { registerModelCheck } from '../../modelCheck/modelCheckStore.ts'
import { registerHosts } from '../../welcome/connectToHost.ts'
import { registerFolderChanges } from '../../welcome/changeFolders.ts'
import { registerFolders } from '../../welcome/openFolder.ts'
import { registerCalls } from '../../calls/registerCalls.ts'
import { registerCompletion } from '../../completion/registerCompletion.ts'
import { registerInlineEdit } from '../../inlineEdit/registerInlineEdit.ts'
import { registerProblems } from '../../problems/registerProblems.ts'
import { registerExtensions } from '../../extensions/registerExtensions.ts'
import { registerSettings } from '../../settings/registerSettings.ts'
import { registerGit } from '../../git/gitCommands.ts'
import { registerPreview } from '../../preview/registerPreview.ts'
import { registerNotebook } from '../../notebook/registerNotebook.ts'
import { registerWebPreview } from '../../webPreview/registerWebPreview.ts'
import { registerSessions } from '../../sessions/registerSessions.ts'
import { registerReview } from '../../review/reviewCommands.ts'
import { registerJobs } from '../../terminal/terminalCommands.ts'
import { useApp } from '../appState.ts'
import { defineCondition, handleCommand, isEnabled, shortcutOf, type CommandId } from '../commands.ts'
import { belongsToTerminal, listenToKeys, writesCharacter } from './keyboardListener.ts'
import { browserKeys, formatKeys } from './keyNotation.ts'
import { registerWorkbench } from '../../app/appCommands.ts'

/** Gives the window the shortcuts of a `keybindings.json`. */
function useKeys(keybindings: readonly UserKeybinding[]): void {
  // The keymap reads only these two fields.
  useApp.setState({ state: { keybindings, settings: { keymap: 'vscode' }, shell: 'browser' } as unknown as AppState })
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  useApp.setState({ state: null })
  document.body.replaceChildren()
})

const codes: Record<string, string> = {
  '`': 'Backquote',
  '\\': 'Backslash',
  ',': 'Comma',
  '.': 'Period',
  '/': 'Slash',
  '-': 'Minus',
  '=': 'Equal',
  ';': 'Semicolon',
}

/**
 * Presses keys in the table's notation, chords included.
 * @returns whether the default action of the last press was prevented
 */
function press(keys: string, target: EventTarget = document.body): boolean {
  let taken = false
  for (const each of keys.split(' ')) {
    const parts = each.split('+')
    const key = parts.pop() ?? ''
    const event = new KeyboardEvent('keydown', {
      key: /^(Left|Right)$/.test(key) ? `Arrow${key}` : key,
      code: codes[key] ?? (/^[A-Z]$/.test(key) ? `Key${key}` : /^\d$/.test(key) ? `Digit${key}` : key),
      ctrlKey: parts.includes('Ctrl') || parts.includes('Mod'),
      altKey: parts.includes('Alt'),
      shiftKey: parts.includes('Shift'),
      bubbles: true,
      cancelable: true,
    })
    target.dispatchEvent(event)
    taken = event.defaultPrevented
  }
  return taken
}

describe('the table of keys', () => {
  const ran: string[] = []
  beforeEach(() => {
    ran.length = 0
    for (const { when } of commands) if (when) defineCondition(when, () => true)
    // The rows come from the table, so their ids are CommandIds.
    stops.push(listenToKeys(), ...commands.map(({ id }) => handleCommand(id as CommandId, () => void ran.push(id))))
  })

  it.each(commands.flatMap((row) => keysFor(row, 'browser').map((keys) => [keys, row.id] as const)))(
    '%s runs %s and nothing else',
    (keys, id) => {
      expect(press(keys)).toBe(true)
      expect(ran).toEqual([id])
    },
  )

  it('shows the key that runs a command, and no reserved keys', () => {
    for (const { id, ...row } of commands) {
      const shown = shortcutOf(id as CommandId)
      const [first] = keysFor({ id, ...row }, 'browser')
      expect(shown, id).toBe(first === undefined ? undefined : formatKeys(first))
      expect(browserKeys, id).not.toContain(shown)
    }
  })

  it('treats the second press of a chord as part of the chord', () => {
    expect(press('Mod+K')).toBe(true)
    expect(press('Mod+J')).toBe(true)
    expect(ran).toEqual([])
    press('Mod+J')
    expect(ran).toEqual(['view.togglePanel'])
    press('Mod+K')
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Control', ctrlKey: true, bubbles: true }))
    press('Mod+S')
    expect(ran).toEqual(['view.togglePanel', 'help.keys'])
  })

  it.each<[string, { key: string; altKey: boolean; ctrlKey?: boolean; altGraph?: boolean }, boolean, boolean]>([
    ['ż with Option on macOS', { key: 'ż', altKey: true }, true, true],
    ['Ω with Option on macOS', { key: 'Ω', altKey: true }, true, false],
    ['z with Alt', { key: 'z', altKey: true }, false, false],
    ['@ with AltGr on Windows', { key: '@', altKey: true, ctrlKey: true, altGraph: true }, false, true],
    ['u with Ctrl+Alt', { key: 'u', altKey: true, ctrlKey: true }, false, false],
  ])('%s in a text field: writes a character or not', (_, { altGraph = false, ...press }, mac, writes) => {
    const target = document.createElement('input')
    const event = { ctrlKey: false, metaKey: false, ...press, target, getModifierState: () => altGraph }
    expect(writesCharacter(event, mac)).toBe(writes)
    expect(writesCharacter({ ...event, target: document.body }, mac)).toBe(false)
  })

  it('Ctrl+Shift+V pastes in terminals and text fields, and opens the preview elsewhere', () => {
    document.body.innerHTML =
      '<div class="xterm"><b></b></div><input /><div class="monaco-editor"><textarea></textarea></div>'
    for (const field of document.querySelectorAll('.xterm b, input')) expect(press('Mod+Shift+V', field)).toBe(false)
    expect(ran).toEqual([])
    expect(press('Mod+Shift+V', document.querySelector('textarea') ?? document.body)).toBe(true)
    expect(ran).toEqual(['preview.show'])
  })

  it('leaves chords in the editor to Monaco', () => {
    document.body.innerHTML = '<div class="monaco-editor"><textarea></textarea></div>'
    const field = document.querySelector('textarea') ?? document.body
    expect(press('Mod+K', field)).toBe(false)
    expect(press('Mod+J', field)).toBe(false)
    expect(press('Mod+K', field)).toBe(false)
    expect(press('Mod+I', field)).toBe(false)
    expect(ran).toEqual([])
    expect(press('Mod+J', field)).toBe(true)
    expect(ran).toEqual(['view.togglePanel'])
  })

  it('runs the command that the user gave the keys, including keys of another command and chords', () => {
    useKeys([
      { key: 'ctrl+j', command: 'view.toggleSideBar' },
      { key: 'ctrl+q ctrl+x', command: 'file.save' },
      { key: 'ctrl+b', command: '-view.toggleSideBar' },
    ])
    press('Mod+J')
    press('Mod+Q Mod+X')
    press('Mod+B')
    expect(ran).toEqual(['view.toggleSideBar', 'file.save'])
    expect(shortcutOf('view.toggleSideBar')).toBe('Ctrl+J')
    expect(shortcutOf('view.togglePanel')).toBe(undefined)
  })

  it('leaves keys that the user gave a command of the editor to Monaco, but only in the editor', () => {
    useKeys([{ key: 'ctrl+j', command: 'editor.action.joinLines' }])
    document.body.innerHTML = '<div class="monaco-editor"><textarea></textarea></div>'
    expect(press('Mod+J', document.querySelector('textarea') ?? document.body)).toBe(false)
    press('Mod+J')
    expect(ran).toEqual(['view.togglePanel'])
  })

  it('forgets an incomplete chord', () => {
    const now = vi.spyOn(Event.prototype, 'timeStamp', 'get').mockReturnValue(0)
    press('Mod+K')
    now.mockReturnValue(5000)
    press('Mod+J')
    expect(ran).toEqual(['view.togglePanel'])
    now.mockRestore()
  })
})

it('registers a handler for every command of the table', () => {
  testMain()
  vi.stubGlobal('isSecureContext', true)
  stops.push(
    () => vi.unstubAllGlobals(),
    registerWorkbench(),
    registerFirstSteps(),
    registerModelCheck(),
    registerTasks(),
    registerDebugViews(),
    registerDebugEditor(),
    registerFolders(),
    registerFolderChanges(),
    registerHosts(),
    registerEditor(),
    registerExplorer(),
    registerChat(),
    registerJobs(),
    registerInlineEdit(),
    registerCompletion(),
    registerReview(),
    registerSessions(),
    registerPreview(),
    registerWebPreview(),
    registerNotebook(),
    registerGit(),
    registerProblems(),
    registerTimeline(),
    registerCalls(),
    registerSettings(),
    registerExtensions(),
  )
  expect(commands.filter((row) => !isEnabled({ ...row, when: undefined })).map(({ id }) => id)).toEqual([])
})

function pressOver(live: boolean, press: KeyboardEventInit = { key: 'r', ctrlKey: true }): KeyboardEvent {
  document.body.innerHTML = `<div data-live="${live}"><div class="xterm"><textarea></textarea></div></div>`
  const event = new KeyboardEvent('keydown', { ...press, bubbles: true })
  document.querySelector('textarea')?.dispatchEvent(event)
  return event
}

it('sends Ctrl with a letter and Alt with an arrow to the program in a running terminal', () => {
  expect(belongsToTerminal(pressOver(true))).toBe(true)
  // Its shell uses these keys to move by words.
  expect(belongsToTerminal(pressOver(true, { key: 'ArrowLeft', altKey: true }))).toBe(true)
  expect(belongsToTerminal(pressOver(true, { key: 'F12' }))).toBe(false)
  expect(belongsToTerminal(pressOver(true, { key: 'r', code: 'KeyR', ctrlKey: true, altKey: true }))).toBe(true)
})

it('opens files by name from a running terminal, as VS Code does, with the keys of the keymap', () => {
  useKeys([])
  expect(belongsToTerminal(pressOver(true, { key: 'p', code: 'KeyP', ctrlKey: true }))).toBe(false)
  useKeys([{ key: 'ctrl+p', command: '-palette.files' }])
  expect(belongsToTerminal(pressOver(true, { key: 'p', code: 'KeyP', ctrlKey: true }))).toBe(true)
})

it('leaves Alt+C, Alt+W and Alt+R to the form of the search', () => {
  useKeys([])
  const closed = vi.fn()
  defineCondition('tab', () => true)
  stops.push(listenToKeys(), handleCommand('tab.close', closed))
  document.body.innerHTML = '<div class="search-form"><input></div><button></button>'
  press('Alt+W', document.querySelector('input') ?? undefined)
  expect(closed).not.toHaveBeenCalled()
  press('Alt+W', document.querySelector('button') ?? undefined)
  expect(closed).toHaveBeenCalledOnce()
})

it('runs shortcuts in the output of a finished command', () => {
  expect(belongsToTerminal(pressOver(false))).toBe(false)
})
