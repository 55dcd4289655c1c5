import { expect, it } from 'vitest'
import { readColorTheme } from '../../../shared/editor/colorTheme.ts'
import { themeTokens } from './themeTokens.ts'

it('colors of a VS Code theme replace the design tokens, and the others stay', () => {
  const theme = readColorTheme('a.json', {
    colors: { 'editor.background': '#101010', 'sideBar.background': '#202020', 'button.background': '#ffee00' },
    tokenColors: [{ scope: 'keyword', settings: { foreground: '#ff0000' } }],
  })
  const tokens = theme && themeTokens(theme)
  expect(tokens).toMatchObject({
    '--color-editor': '#101010',
    '--color-surface': '#202020',
    '--color-base': '#202020',
    '--color-on-accent': '#000000',
    '--color-syntax-keyword': '#ff0000',
  })
  expect(tokens).not.toHaveProperty('--color-text')
})
