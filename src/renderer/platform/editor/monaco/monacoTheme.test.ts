import { expect, it } from 'vitest'
import { monacoTheme, toHexColor } from './monacoTheme.ts'

it.each([
  ['#ffffff', '#ffffff'],
  ['#fff', '#ffffff'],
  ['#0f08', '#00ff0088'],
  ['rgb(255 255 255 / 5%)', '#ffffff0d'],
  ['rgba(98,160,255,.17)', '#62a0ff2b'],
  ['rgb(1, 2, 3)', '#010203ff'],
])("converts the color %s to Monaco's format", (css, monaco) => expect(toHexColor(css)).toBe(monaco))

it('selected text has the color of the theme in high contrast, and keeps its syntax colors otherwise', () => {
  const { style } = document.documentElement
  style.setProperty('--color-text-strong', '#ffffff')
  const selected = (theme: 'dark' | 'hc-dark', own = {}) => monacoTheme(theme, own).colors['editor.selectionForeground']
  expect(selected('hc-dark')).toBe('#ffffff')
  expect(selected('dark')).toBeUndefined()
  expect(selected('hc-dark', { 'editor.selectionBackground': '#ffff00' })).toBeUndefined()
  style.removeProperty('--color-text-strong')
})
