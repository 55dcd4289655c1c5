import { expect, it } from 'vitest'
import { toHexColor } from './monacoTheme.ts'

it.each([
  ['#ffffff', '#ffffff'],
  ['#fff', '#ffffff'],
  ['#0f08', '#00ff0088'],
  ['rgb(255 255 255 / 5%)', '#ffffff0d'],
  ['rgba(98,160,255,.17)', '#62a0ff2b'],
  ['rgb(1, 2, 3)', '#010203ff'],
])("converts the color %s to Monaco's format", (css, monaco) => expect(toHexColor(css)).toBe(monaco))
