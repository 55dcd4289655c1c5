import { describe, expect, it } from 'vitest'
import { bindingsOf, commandsByKeys, keysOfCommand, readKeys, tableDefaults, withDefaults, withKeys } from './keymap.ts'

const defaults = [
  { id: 'file.save', keys: ['Ctrl+S'] },
  { id: 'tab.next', keys: ['Alt+PageDown', 'Ctrl+Tab'] },
  { id: 'file.new', keys: [] },
]

describe('keys of keybindings.json', () => {
  it.each([
    ['ctrl+shift+p', 'Ctrl+Shift+P'],
    ['shift+ctrl+p', 'Ctrl+Shift+P'],
    ['ctrl+k  ctrl+pagedown', 'Ctrl+K Ctrl+PageDown'],
    ['F5', 'F5'],
    ["alt+'", "Alt+'"],
    ['meta+[', 'Cmd+['],
  ])('%s is read as %s', (text, keys) => expect(readKeys(text)).toBe(keys))

  it.each(['', 'ctrl+', 'ctrl+k ctrl+k ctrl+k', 'hyper+a', 'ctrl+ab'])('%j is invalid', (text) =>
    expect(readKeys(text)).toBe(null),
  )
})

describe('the user', () => {
  it('gives a key of one command to another, which has precedence', () => {
    const bindings = bindingsOf(defaults, [{ key: 'ctrl+s', command: 'file.new' }])
    expect(commandsByKeys(bindings).get('Ctrl+S')).toEqual(['file.new', 'file.save'])
    expect(keysOfCommand('file.save', bindings)).toEqual([])
    expect(keysOfCommand('file.new', bindings)).toEqual(['Ctrl+S'])
  })

  it('removes one key, or all keys, of a command', () => {
    expect(keysOfCommand('tab.next', bindingsOf(defaults, [{ key: 'ctrl+tab', command: '-tab.next' }]))).toEqual([
      'Alt+PageDown',
    ])
    expect(keysOfCommand('tab.next', bindingsOf(defaults, [{ key: '', command: '-tab.next' }]))).toEqual([])
  })

  it('loses nothing but an entry whose keys are invalid', () => {
    const bindings = bindingsOf(defaults, [{ key: 'nonsense', command: 'file.new' }])
    expect(keysOfCommand('file.save', bindings)).toEqual(['Ctrl+S'])
  })

  it('changes, adds and resets the keys of a command in the smallest form', () => {
    const user = withKeys([{ key: 'f9', command: 'other' }], { id: 'file.save', keys: ['Ctrl+S'] }, ['F2'])
    expect(user).toEqual([
      { key: 'f9', command: 'other' },
      { key: 'ctrl+s', command: '-file.save' },
      { key: 'f2', command: 'file.save' },
    ])
    expect(keysOfCommand('file.save', bindingsOf(defaults, user))).toEqual(['F2'])
    expect(withDefaults(user, 'file.save')).toEqual([{ key: 'f9', command: 'other' }])
    expect(withKeys(user, { id: 'file.save', keys: ['Ctrl+S'] }, ['Ctrl+S'])).toEqual([{ key: 'f9', command: 'other' }])
  })
})

it('with the keys of Cursor, Ctrl+K edits inline and no chord starts with it', () => {
  const keys = tableDefaults('browser', 'cursor', (each) => each)
  expect(keys.find(({ id }) => id === 'inlineEdit.start')?.keys).toEqual(['Mod+K', 'Mod+I'])
  expect(keys.find(({ id }) => id === 'help.keys')?.keys).toEqual(['Mod+M Mod+S'])
  expect(keys.flatMap((row) => row.keys).filter((each) => each.startsWith('Mod+K '))).toEqual([])
})

it('shortcuts of extensions come after the defaults and the user, which can remove them, and remove none', () => {
  const defaults = [{ id: 'file.save', keys: ['Ctrl+S'] }]
  const extensions = [
    { key: 'ctrl+s', command: 'git.push' },
    { key: 'ctrl+s', command: '-file.save' },
    { key: 'ctrl+alt+y', command: 'git.pull' },
  ]
  const own = [{ key: 'ctrl+alt+y', command: '-git.pull' }]
  expect(bindingsOf(defaults, own, extensions).map(({ command }) => command)).toEqual(['file.save', 'git.push'])
})
