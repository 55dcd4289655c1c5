import { describe, expect, it } from 'vitest'
import { commands, keysFor } from '../../../shared/editor/commandsAndKeybindings.ts'
import { keysOf } from '../../../shared/editor/keyPress.ts'
import { browserKeys, canonicalKeys, formatKeys } from './keyNotation.ts'

const press = (part: Partial<KeyboardEvent>) => ({
  key: '',
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...part,
})

describe('the table of commands', () => {
  it('names each command once', () => {
    const ids = commands.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(['electron', 'browser'] as const)('assigns no key to two commands in the %s host', (shell) => {
    const all = commands.flatMap((row) => keysFor(row, shell).map((keys) => canonicalKeys(keys, false)))
    expect(all.filter((keys, index) => all.indexOf(keys) !== index)).toEqual([])
  })

  it('uses no keys that browsers reserve', () => {
    const used = commands.flatMap((row) => keysFor(row, 'browser').map((keys) => canonicalKeys(keys)))
    expect(used.filter((keys) => browserKeys.includes(keys))).toEqual([])
  })

  it('has another key in the browser host for every reserved key', () => {
    const without = commands.filter(
      (row) => row.when !== 'desktop' && row.electronKeys && keysFor(row, 'browser').length === 0,
    )
    expect(without.map(({ id }) => id)).toEqual([])
  })

  it('has keys in the notation of key presses', () => {
    for (const row of commands) {
      for (const keys of [...keysFor(row, 'electron'), ...keysFor(row, 'browser')]) {
        expect(keys, row.id).toMatch(
          /^(Mod\+K (?=.))?((Mod|Ctrl|Alt|Shift)\+)*([A-Z0-9`\\,./=;-]|F\d{1,2}|Tab|PageUp|PageDown|Left|Right|Backspace|Enter)$/,
        )
      }
    }
  })
})

describe('a pressed key', () => {
  it('is converted to the notation of the table', () => {
    expect(keysOf(press({ key: 'P', code: 'KeyP', ctrlKey: true, shiftKey: true }))).toBe(
      canonicalKeys('Mod+Shift+P', false),
    )
    expect(keysOf(press({ key: 'F6', code: 'F6', shiftKey: true }))).toBe('Shift+F6')
  })

  it('is identified by its position if Shift or another alphabet produces another character', () => {
    expect(keysOf(press({ key: '~', code: 'Backquote', ctrlKey: true, shiftKey: true }))).toBe('Ctrl+Shift+`')
    expect(keysOf(press({ key: 'ArrowLeft', code: 'ArrowLeft', altKey: true }))).toBe(canonicalKeys('Alt+Left', false))
    expect(keysOf(press({ key: 'ы', code: 'KeyS', ctrlKey: true }))).toBe('Ctrl+S')
  })

  it('is identified by its letter, not its position, in other layouts', () => {
    expect(keysOf(press({ key: 'z', code: 'KeyY', ctrlKey: true }))).toBe('Ctrl+Z')
  })

  it('is displayed as on the keyboard of the platform', () => {
    expect(formatKeys('Mod+Shift+P', false)).toBe('Ctrl+Shift+P')
    expect(formatKeys('Mod+Shift+P', true)).toBe('⇧⌘P')
  })
})
