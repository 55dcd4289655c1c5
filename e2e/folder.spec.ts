import { readFile } from 'node:fs/promises'
import { expect, notElectron, test } from './support/app.ts'
import { focusEditor, openFile, shownText, tab } from './support/window.ts'

test('open a folder, edit a file and save it', async ({ launch }) => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('eins\r\nzwei\r\n', 'utf16le')])
  const app = await launch({
    files: { 'src/hello.ts': 'export const greeting = "hello"\n', 'README.md': '# Hello\n', 'old.txt': utf16 },
  })
  const { page } = app
  await page.getByRole('treeitem', { name: 'src' }).click()
  await page.getByRole('treeitem', { name: 'hello.ts' }).click()
  await expect(tab(page, 'hello.ts')).toBeVisible()
  await expect.poll(() => shownText(page)).toContain('greeting')

  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('// typed by hand')
  await expect(tab(page, 'hello.ts')).toHaveAccessibleName(/unsaved/)
  expect(await readFile(app.path('src/hello.ts'), 'utf8')).not.toContain('typed')

  await page.keyboard.press('Control+s')
  await expect(tab(page, 'hello.ts')).toHaveAccessibleName('hello.ts')
  expect(await readFile(app.path('src/hello.ts'), 'utf8')).toBe('export const greeting = "hello"\n// typed by hand')

  await test.step('line endings and encoding of a file survive an edit by hand', async () => {
    await openFile(page, 'old.txt')
    await expect(page.getByRole('contentinfo')).toContainText('UTF-16')
    await expect(page.getByRole('contentinfo')).toContainText('CRLF')
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('drei')
    await page.keyboard.press('Control+s')
    await expect(tab(page, 'old.txt')).toHaveAccessibleName('old.txt')
    expect((await readFile(app.path('old.txt'))).equals(Buffer.concat([utf16, Buffer.from('drei', 'utf16le')]))).toBe(
      true,
    )
  })
})

test(
  'without a folder, the window shows what to do, and the folder picker opens one',
  notElectron,
  async ({ launch }) => {
    const app = await launch({ noFolder: true, files: { 'picked.txt': 'here' } })
    const { page } = app
    await expect(page.getByRole('button', { name: /Take the tour/ })).toBeVisible()
    await page
      .getByRole('button', { name: /Open folder/ })
      .first()
      .click()
    if (app.desktop !== undefined) {
      const { shown, answer } = await app.desktop.dialog()
      expect(shown).toMatchObject({ kind: 'open', properties: ['openDirectory', 'createDirectory'] })
      await answer({ filePaths: [app.workspace] })
    } else {
      const dialog = page.getByRole('dialog')
      const field = dialog.getByRole('textbox').first()
      // The first listing, between selecting the text and typing over it, would be part of the path.
      await expect(field).not.toHaveValue('')
      await field.fill(app.workspace)
      await field.press('Enter')
      await dialog.getByRole('button', { name: /^Open/ }).click()
    }
    await expect(page.getByRole('treeitem', { name: 'picked.txt' })).toBeVisible()
  },
)

test('without a folder, Open file asks and opens the file with its folder', notElectron, async ({ launch }) => {
  const app = await launch({ noFolder: true, files: { 'src/picked.txt': 'here', 'src/other.txt': '' } })
  const { page } = app
  await expect(page.getByRole('button', { name: /Take the tour/ })).toBeVisible()
  const choose = async (file: string) => {
    await page.keyboard.press('Control+o')
    if (app.desktop !== undefined) {
      const { answer } = await app.desktop.dialog()
      await answer({ filePaths: [app.path(file)] })
      return
    }
    const path = page.getByRole('dialog', { name: 'Open file' }).getByRole('textbox', { name: 'Path of the file' })
    // The first listing, between selecting the text and typing over it, would be part of the path.
    await expect(path).not.toHaveValue('')
    await path.fill(app.path(file))
    await path.press('Enter')
  }
  await choose('src/picked.txt')
  const question = page.getByRole('dialog', { name: 'Open the folder of the file?' })
  await expect(question).toContainText('/src')
  await page.screenshot({ path: test.info().outputPath('question.png') })
  await question.getByRole('button', { name: 'Open file and folder' }).click()
  await expect(tab(page, 'picked.txt')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => shownText(page)).toContain('here')
  await expect(page.getByRole('treeitem', { name: 'other.txt' })).toBeVisible()
})
