import { expect, it } from 'vitest'
import { isPlainDrawing } from './plainDrawing.ts'

const svg = (inner: string, attributes = '') => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`
const inkscape =
  'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" xmlns:svg="http://www.w3.org/2000/svg"'

it.each([
  svg('<path d="M0 0"/>'),
  `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "a.dtd">${svg('<g/>')}`,
  svg('<style>.a{fill:#fff}</style><path class="a"/>'),
  svg('<sodipodi:namedview/>', inkscape),
])('%s is used', (text) => {
  expect(isPlainDrawing(Buffer.from(text))).toBe(true)
})

it.each([
  svg('<feTurbulence/>'),
  svg('<s:feTurbulence/>', 'xmlns:s="http://www.w3.org/2000/svg"'),
  svg('<s:feTurbulence/>', 'xmlns:s="http://www.w3.org/2000&#x2f;svg"'),
  svg('<s:feTurbulence/>', 'xmlns:s = "http://www.w3.org/2000/svg"'),
  svg('<s:feTurbulence/>', "xmlns:s='http://www.w3.org/2000/svg' "),
  svg('<svg:feTurbulence/>', inkscape),
  svg('<script>1</script>'),
  svg('<foreignObject/>'),
  svg('<style>@keyframes a{}</style>'),
  svg('<style>&#64;keyframes a{}</style>'),
  svg('<use/>'.repeat(21)),
  `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`,
  `<?xml version="1.0" encoding="utf-7"?>${svg('')}`,
])('%s is not', (text) => {
  expect(isPlainDrawing(Buffer.from(text))).toBe(false)
})

it('a drawing that repeats a declaration is judged in linear time', () => {
  const start = process.cpuUsage()
  expect(isPlainDrawing(Buffer.from('<!DOCTYPE'.repeat(14_000)))).toBe(false)
  expect(isPlainDrawing(Buffer.from('<a:b/>'.repeat(20_000)))).toBe(false)
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000)
})

it('a drawing in UTF-16 is not used, with a mark of its order or without', () => {
  expect(isPlainDrawing(Buffer.from(`\ufeff${svg('<feTurbulence/>')}`, 'utf16le'))).toBe(false)
  expect(isPlainDrawing(Buffer.from(svg('<feTurbulence/>'), 'utf16le'))).toBe(false)
})
