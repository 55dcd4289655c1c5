import { expect, it } from 'vitest'
import { readColorTheme, scopeColor } from './colorTheme.ts'

const theme = readColorTheme('night.json', {
  name: 'Night',
  type: 'dark',
  colors: { 'editor.background': '#012', 'sideBar.background': 'red', 'button.background': '#11223344', x: 3 },
  tokenColors: [
    { scope: 'keyword, storage', settings: { foreground: '#abc' } },
    { scope: ['entity.name', 'entity.name.function'], settings: { foreground: '#00ff00' } },
    { scope: 'keyword.control', settings: { foreground: '#ff0000', fontStyle: 'bold' } },
    { settings: { foreground: '#ffffff' } },
    'nonsense',
  ],
})

it('a theme of VS Code is read with its colors in one notation', () => {
  expect(theme).toMatchObject({ id: 'night.json', label: 'Night', base: 'dark' })
  expect(theme?.colors).toEqual({ 'editor.background': '#001122', 'button.background': '#11223344' })
})

it('the most specific scope decides', () => {
  if (!theme) throw new Error('The theme was not read.')
  expect(scopeColor(theme, 'keyword')).toBe('#aabbcc')
  expect(scopeColor(theme, 'keyword.control.flow')).toBe('#ff0000')
  expect(scopeColor(theme, 'entity.name.type')).toBe('#00ff00')
  expect(scopeColor(theme, 'comment')).toBe(undefined)
})

it('a theme without a type is light if its background is', () => {
  expect(readColorTheme('a.json', { colors: { 'editor.background': '#fafafa' } })).toMatchObject({
    base: 'light',
    label: 'a',
  })
})

it.each([null, [], {}, { colors: { a: 'url(http://x)' } }, { tokenColors: [1] }])('%j is no theme', (value) => {
  expect(readColorTheme('a.json', value)).toBe(null)
})
