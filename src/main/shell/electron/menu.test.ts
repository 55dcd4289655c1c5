import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../shared/commands.ts'
import { menuTemplate, toAccelerator } from './menu.ts'

const itemsOf = (template: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] => template.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))

describe('the menu', () => {
  it('holds every command that has a place in it, once, and runs it by its id', () => {
    const ran: string[] = []
    for (const item of itemsOf(menuTemplate('linux', (id) => ran.push(id)))) {
      // The click of our own items looks at none of these.
      item.click?.(undefined as never, undefined, undefined as never)
    }
    expect(ran.toSorted()).toEqual(commands.filter((row) => row.menuGroup !== undefined).map((row) => row.id).toSorted())
  })

  it('shows keys without taking them: the window acts on them', () => {
    const withKeys = itemsOf(menuTemplate('linux', () => {})).filter((item) => item.accelerator !== undefined)
    expect(withKeys.length).toBeGreaterThan(10)
    expect(withKeys.every((item) => item.registerAccelerator === false)).toBe(true)
  })

  it('has the menus of its own that macOS expects, with no second "Close"', () => {
    const template = menuTemplate('darwin', () => {})
    expect(template[0]?.role).toBe('appMenu')
    expect(template.at(-1)?.label).toBe('Window')
    expect(itemsOf(template).some((item) => item.role === 'close')).toBe(false)
    expect(menuTemplate('linux', () => {}).map(({ label }) => label)).toEqual(['&File', '&Edit', '&View', '&Go', '&Chat', '&Terminal', '&Help'])
  })

  it('begins and ends no menu with a line', () => {
    for (const { submenu } of menuTemplate('linux', () => {})) {
      const items = Array.isArray(submenu) ? submenu : []
      expect(items[0]?.type).not.toBe('separator')
      expect(items.at(-1)?.type).not.toBe('separator')
    }
  })

  it('writes keys as Electron does', () => expect(toAccelerator('Mod+Shift+P')).toBe('CmdOrCtrl+Shift+P'))
})
