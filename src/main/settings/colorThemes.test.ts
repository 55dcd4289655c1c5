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

const text = '{ // a comment\n"name": "Night", "colors": {"editor.background": "#001122",},\n}'

it('an imported theme with comments is kept in the user data folder until it is removed', async () => {
  const themes = createColorThemes(folder.root)
  expect(await themes.list()).toEqual([])
  const { id } = await themes.add('Night Owl-color-theme.json', text)
  expect(await createColorThemes(folder.root).list()).toMatchObject([{ id, label: 'Night', base: 'dark' }])
  await themes.remove(id)
  expect(await themes.list()).toEqual([])
})

it('a name cannot lead out of the folder, and a file that is no theme is refused', async () => {
  const themes = createColorThemes(folder.root)
  await themes.add('../../outside.json', text)
  expect(await readdir(path.join(folder.root, 'themes'))).toEqual(['-outside.json'])
  await expect(themes.add('package.json', '{"name": "x"}')).rejects.toThrow(/not a color theme/)
  await expect(themes.add('a.json', 'no json {{{')).rejects.toThrow(/not a color theme/)
})
