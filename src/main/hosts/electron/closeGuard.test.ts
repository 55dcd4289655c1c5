import { EventEmitter } from 'node:events'
import type { BrowserWindow, MessageBoxOptions } from 'electron'
import { describe, expect, it, vi } from 'vitest'
import type { WindowLink } from '../../core.ts'
import { guardClose, saveAllCommand } from './closeGuard.ts'

const choice = { save: 0, discard: 1, cancel: 2 }

/**
 * A window with unsaved files, and the user's choice. `saves`: files that are still unsaved after the page has saved.
 */
function windowWith({
  dirty,
  chooses,
  saves = [],
  endsWork = false,
}: {
  dirty: string[]
  chooses: number
  saves?: string[]
  endsWork?: boolean
}) {
  let unsaved = dirty
  const state = {
    closed: false,
    asked: [] as MessageBoxOptions[],
    commands: [] as string[],
    discarded: [] as string[][],
  }
  const window = Object.assign(new EventEmitter(), {
    webContents: new EventEmitter(),
    close() {
      let prevented = false
      window.emit('close', {
        preventDefault: () => {
          prevented = true
        },
      })
      if (prevented) return
      state.closed = true
      window.emit('closed')
    },
  })
  const link: WindowLink = {
    emit(name, payload) {
      if (name !== 'command') return
      // The payload of a command.
      state.commands.push((payload as { id: string }).id)
      unsaved = saves
    },
    ask: () => Promise.reject(new Error('not asked here')),
  }
  const showMessageBox = vi.fn(async (_window: unknown, options?: MessageBoxOptions) => {
    if (options !== undefined) state.asked.push(options)
    return { response: chooses, checkboxChecked: false }
  })
  guardClose({
    window: window as unknown as BrowserWindow,
    dialog: { showMessageBox } as never,
    endsWork: () => endsWork,
    dirty: async () => unsaved,
    discard: async (paths) => void state.discarded.push(paths),
    link: () => link,
    pollEvery: 1,
    saveTimeout: 50,
  })
  return { window, state }
}

describe('closing a window', () => {
  it('without unsaved files shows no dialog', async () => {
    const { window, state } = windowWith({ dirty: [], chooses: choice.cancel })
    window.close()
    await vi.waitFor(() => expect(state.closed).toBe(true))
    expect(state.asked).toEqual([])
  })

  it('that ends a turn asks first, before it asks about unsaved files', async () => {
    const kept = windowWith({ dirty: ['src/a.ts'], chooses: 1, endsWork: true })
    kept.window.close()
    await vi.waitFor(() => expect(kept.state.asked).toHaveLength(1))
    expect(kept.state.asked[0]).toMatchObject({ message: 'A turn or a command is running in this window.' })
    expect(kept.state.closed).toBe(false)
    const closed = windowWith({ dirty: [], chooses: 0, endsWork: true })
    closed.window.close()
    await vi.waitFor(() => expect(closed.state.closed).toBe(true))
    expect(closed.state.asked).toHaveLength(1)
  })

  it('with unsaved files shows a dialog with their names, and Cancel keeps it open', async () => {
    const { window, state } = windowWith({ dirty: ['src/a.ts'], chooses: choice.cancel })
    window.close()
    await vi.waitFor(() => expect(state.asked).toHaveLength(1))
    expect(state.asked[0]).toMatchObject({
      message: 'src/a.ts has unsaved changes.',
      buttons: ['Save all', 'Discard', 'Cancel'],
      cancelId: 2,
    })
    expect(state.closed).toBe(false)
    // The dialog can be shown again.
    await vi.waitFor(() => {
      window.close()
      expect(state.asked.length).toBeGreaterThan(1)
    })
  })

  it('Discard closes it and deletes the unsaved text, even if the closing page sends it again', async () => {
    const { window, state } = windowWith({ dirty: ['a', 'b'], chooses: choice.discard })
    window.close()
    await vi.waitFor(() => expect(state.closed).toBe(true))
    expect(state.commands).toEqual([])
    expect(state.discarded).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  it('Save all saves before it closes', async () => {
    const { window, state } = windowWith({ dirty: ['a'], chooses: choice.save })
    window.close()
    await vi.waitFor(() => expect(state.closed).toBe(true))
    expect(state.commands).toEqual([saveAllCommand])
  })

  it('a failed Save all keeps it open', async () => {
    const { window, state } = windowWith({ dirty: ['a', 'b'], chooses: choice.save, saves: ['b'] })
    window.close()
    await vi.waitFor(() => {
      window.close()
      expect(state.asked.length).toBeGreaterThan(1)
    })
    expect(state.closed).toBe(false)
  })

  it('shows one dialog, however often it is closed meanwhile', async () => {
    const { window, state } = windowWith({ dirty: ['a'], chooses: choice.discard })
    window.close()
    window.close()
    window.close()
    await vi.waitFor(() => expect(state.closed).toBe(true))
    expect(state.asked).toHaveLength(1)
  })

  it('the page cannot prevent it with its own beforeunload handler', () => {
    const { window } = windowWith({ dirty: [], chooses: choice.cancel })
    const preventDefault = vi.fn()
    window.webContents.emit('will-prevent-unload', { preventDefault })
    expect(preventDefault).toHaveBeenCalledOnce()
  })
})
