import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../shared/editor/commandsAndKeybindings.ts'
import { menuTemplate as template, toAccelerator, windowShortcuts, type RecentsMenu } from './applicationMenu.ts'

const none: RecentsMenu = { folders: [], untitled: {}, home: '/home/ana', open: () => {}, clear: () => {} }
const menuTemplate = (platform: NodeJS.Platform, run: (command: string) => void, recents = none) =>
  template(platform, run, recents)

const itemsOf = (template: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  template.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))

const isZoom = ({ label }: MenuItemConstructorOptions): boolean => /^(?:Zoom|Actual)/.test(label ?? '')

describe('the menu', () => {
  it('names commands as the focused window does', () => {
    const labels = (isWorkspace: boolean) =>
      itemsOf(template('linux', () => {}, none, undefined, isWorkspace)).map(({ label }) => label)
    expect(labels(false)).toContain('Close folder')
    expect(labels(true)).toContain('Close workspace')
    expect(labels(true)).not.toContain('Close folder')
  })

  it('contains every command with a menu group once, and runs it by its id', () => {
    const ran: string[] = []
    for (const item of itemsOf(menuTemplate('linux', (id) => ran.push(id)))) {
      // Our click handlers use none of these arguments.
      item.click?.(undefined as never, undefined, undefined as never)
    }
    expect(ran.toSorted()).toEqual(
      commands
        .filter((row) => row.menuGroup !== undefined)
        .map((row) => row.id)
        .toSorted(),
    )
  })

  it('shows keys without registering them, because the window handles them', () => {
    const withKeys = itemsOf(menuTemplate('linux', () => {})).filter((item) => item.accelerator !== undefined)
    expect(withKeys.length).toBeGreaterThan(10)
    const byWindow = withKeys.filter((item) => item.role === undefined && !isZoom(item))
    expect(byWindow.every((item) => item.registerAccelerator === false)).toBe(true)
  })

  it('zooms in with Ctrl and =, even without Shift', () => {
    const zoom = itemsOf(menuTemplate('linux', () => {})).filter(({ label }) => label === 'Zoom In')
    expect(zoom).toContainEqual(
      expect.objectContaining({ accelerator: 'CmdOrCtrl+=', acceleratorWorksWhenHidden: true }),
    )
  })

  it('zooms the window, even if the page of the preview has the focus', () => {
    let level = 1
    const webContents = { getZoomLevel: () => level, setZoomLevel: (next: number) => (level = next) }
    const levels = itemsOf(menuTemplate('linux', () => {}))
      .filter(isZoom)
      .map((item) => {
        // The members that are used. The third argument is the event.
        item.click?.(undefined as never, { webContents } as never, undefined as never)
        return [item.accelerator, level]
      })
    expect(levels).toEqual([
      ['CmdOrCtrl+Plus', 1.5],
      ['CmdOrCtrl+=', 2],
      ['CmdOrCtrl+-', 1.5],
      ['CmdOrCtrl+0', 0],
    ])
  })

  it('has the standard macOS menus, without a second "Close"', () => {
    const made = menuTemplate('darwin', () => {})
    expect(made[0]?.role).toBe('appMenu')
    expect(made.at(-1)?.label).toBe('Window')
    expect(itemsOf(made).some((item) => item.role === 'close')).toBe(false)
    expect(menuTemplate('linux', () => {}).map(({ label }) => label)).toEqual([
      '&File',
      '&Edit',
      '&View',
      '&Go',
      '&Run',
      '&Chat',
      '&Terminal',
      '&Help',
    ])
  })

  it('has no separator at the start or end of a menu', () => {
    for (const { submenu } of menuTemplate('linux', () => {})) {
      const items = Array.isArray(submenu) ? submenu : []
      expect(items[0]?.type).not.toBe('separator')
      expect(items.at(-1)?.type).not.toBe('separator')
    }
  })

  it('lists recent folders and workspaces below the commands that open them, with a way to clear the list', () => {
    const done: string[] = []
    const recents: RecentsMenu = {
      folders: ['/home/ana/R&D', '/srv/b', '/data/workspaces/1.code-workspace'],
      untitled: { '/data/workspaces/1.code-workspace': ['api', 'R&D'] },
      home: '/home/ana',
      open: (folder) => done.push(folder),
      clear: () => done.push('cleared'),
    }
    const file = itemsOf(menuTemplate('linux', () => {}, recents))
    const at = file.findIndex(({ label }) => label === 'Open recent')
    expect(file[at - 1]?.label).toBe('Open workspace from file…')
    const items = itemsOf(file.slice(at, at + 1))
    expect(items.map(({ label, type }) => label ?? type)).toEqual([
      '~/R&&D',
      '/srv/b',
      'Untitled (workspace): api, R&&D',
      'separator',
      'Clear recently opened',
    ])
    for (const item of items) item.click?.(undefined as never, undefined, undefined as never)
    expect(done).toEqual(['/home/ana/R&D', '/srv/b', '/data/workspaces/1.code-workspace', 'cleared'])
  })

  it('has disabled items for an empty list of recent folders', () => {
    const items = itemsOf(itemsOf(menuTemplate('linux', () => {})).filter(({ label }) => label === 'Open recent'))
    expect(items.map(({ label, type, enabled }) => [label ?? type, enabled])).toEqual([
      ['No recent folders', false],
      ['separator', undefined],
      ['Clear recently opened', false],
    ])
  })

  it("uses Electron's notation of keys", () => expect(toAccelerator('Mod+Shift+P')).toBe('CmdOrCtrl+Shift+P'))
})

describe('shortcuts that a page in a view leaves to the window', () => {
  const keymap = { choice: 'vscode', user: [] } as const

  it('are those with a modifier or a function key, and the first presses of chords', () => {
    const linux = windowShortcuts(keymap, 'linux')
    for (const keys of ['Ctrl+P', 'Ctrl+K', 'F1', 'F6']) expect(linux).toContain(keys)
    for (const keys of ['Ctrl+C', 'Ctrl+V', 'Escape', 'Delete', 'Enter']) expect(linux).not.toContain(keys)
    expect(windowShortcuts(keymap, 'darwin')).toContain('Cmd+P')
  })

  it('follow the keybindings of the user', () => {
    const user = [
      { key: 'ctrl+alt+y', command: 'palette.files' },
      { key: 'ctrl+p', command: '-palette.files' },
    ]
    const own = windowShortcuts({ choice: 'vscode', user }, 'linux')
    expect(own).toContain('Ctrl+Alt+Y')
    expect(own).not.toContain('Ctrl+P')
  })
})
