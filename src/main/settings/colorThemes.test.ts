import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { packZip } from '../testing/packZip.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openArchive } from '../extract/zipArchive.ts'
import { createColorThemes } from './colorThemes.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

const createThemes = () => createColorThemes(folder.root, (content) => openArchive(content, 100_000))

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
  ['leads out of the folder', '{"include": "../../secrets.json"}', [], /outside the theme/],
  ['is absolute', '{"include": "/etc/passwd"}', [], /outside the theme/],
  [
    'includes it in turn',
    child,
    [included('base.json', { include: './child.json' })],
    /child\.json → base\.json → child\.json/,
  ],
])('an include that %s is refused', async (_name, theme, files, message) => {
  await expect(createThemes().add('child.json', theme, files)).rejects.toThrow(message)
})

const manifest = (themes: object[]) => JSON.stringify({ name: 'night', contributes: { themes } })

it('the themes of an extension are imported with their labels, and nothing else is written', async () => {
  const themes = createThemes()
  const content = packZip({
    'extension/package.json': manifest([
      { label: '%dark%', uiTheme: 'vs-dark', path: './themes/dark.json' },
      { label: 'Child', uiTheme: 'vs', path: './themes/child.json' },
      { label: 'Old', uiTheme: 'vs', path: './themes/old.tmTheme' },
    ]),
    'extension/package.nls.json': '{ "dark": "Night" }',
    'extension/themes/dark.json': text,
    'extension/themes/child.json': child,
    'extension/themes/base.json': base.text,
    'extension/themes/old.tmTheme': '<plist></plist>',
    'extension/main.js': 'throw new Error()',
  })
  expect((await themes.addPackage('night.vsix', content)).map(({ label, base: kind }) => [label, kind])).toEqual([
    ['Night', 'dark'],
    ['Child', 'light'],
  ])
  expect((await readdir(path.join(folder.root, 'themes'))).toSorted()).toEqual(['night-Child.json', 'night-Night.json'])
})

it.each([
  ['without themes', { 'extension/package.json': '{"name": "x"}' }, /no color themes/],
  ['without a package.json', { 'extension/readme.md': '' }, /no package\.json/],
  [
    'whose theme is outside',
    { 'extension/package.json': manifest([{ path: '../outside.json' }]), 'outside.json': text },
    /outside the theme/,
  ],
  ['with a part that leads out', { '../evil.json': text, 'extension/package.json': manifest([]) }, /could not be read/],
  [
    'that unpacks to too much',
    { 'extension/package.json': manifest([{ path: './a.json' }]), 'extension/a.json': ' '.repeat(200_000) },
    /unpacks to more than/,
  ],
])('an extension %s is refused', async (_name, files, message) => {
  await expect(createThemes().addPackage('a.vsix', packZip(files))).rejects.toThrow(message)
  expect(await readdir(folder.root)).toEqual([])
})

it('a file that is no archive is refused', async () => {
  await expect(createThemes().addPackage('a.vsix', new Uint8Array(Buffer.from('no zip')))).rejects.toThrow(
    /a\.vsix could not be read/,
  )
})
