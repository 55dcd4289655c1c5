import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createColorThemes } from './colorThemes.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

const createThemes = () => createColorThemes(folder.root)

const text = '{ // a comment\n"name": "Night", "colors": {"editor.background": "#001122",},\n}'

it('an imported theme with comments is kept in the user data folder until it is removed', async () => {
  const themes = createThemes()
  expect(await themes.list()).toEqual([])
  const { id } = await themes.add('Night Owl-color-theme.json', text)
  expect(await createThemes().list()).toMatchObject([{ id, label: 'Night', base: 'dark' }])
  await themes.remove(id)
  expect(await themes.list()).toEqual([])
})

it('a name cannot lead out of the folder, and a file that is no theme is refused', async () => {
  const themes = createThemes()
  await themes.add('../../outside.json', text)
  expect(await readdir(path.join(folder.root, 'themes'))).toEqual(['-outside.json'])
  await expect(themes.add('package.json', '{"name": "x"}')).rejects.toThrow(/not a VS Code color theme/)
  await expect(themes.add('a.json', 'no json {{{')).rejects.toThrow(/not a VS Code color theme/)
})

const included = (name: string, theme: object) => ({ name, text: JSON.stringify(theme) })
const base = included('base.json', {
  name: 'Base',
  type: 'light',
  colors: { 'editor.background': '#ffffff', 'editor.foreground': '#000000' },
  tokenColors: [{ scope: 'comment', settings: { foreground: '#111111' } }],
})
const child = JSON.stringify({
  name: 'Child',
  include: './base.json',
  colors: { 'editor.foreground': '#222222' },
  tokenColors: [{ scope: 'string', settings: { foreground: '#333333' } }],
})

it('a theme has the colors of the one that it includes, and overrides them', async () => {
  const themes = createThemes()
  await themes.add('child.json', child, [base])
  expect(await themes.list()).toMatchObject([
    {
      label: 'Child',
      base: 'light',
      colors: { 'editor.background': '#ffffff', 'editor.foreground': '#222222' },
      tokens: [{ scope: 'comment' }, { scope: 'string' }],
    },
  ])
})

it.each([
  ['is missing', child, [], /child\.json includes base\.json, which is missing/],
  ['leads out of the folder', '{"include": "../../secrets.json"}', [], /outside its folder/],
  ['is absolute', '{"include": "/etc/passwd"}', [], /outside its folder/],
  [
    'includes it in turn',
    child,
    [included('base.json', { include: './child.json' })],
    /child\.json → base\.json → child\.json/,
  ],
])('an include that %s is refused', async (_name, theme, files, message) => {
  await expect(createThemes().add('child.json', theme, files)).rejects.toThrow(message)
})
