import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, type App } from './support/app.ts'
import { focusEditor, openFile, shownText, tab } from './support/window.ts'

async function typeInto(app: App, name: string, text: string): Promise<void> {
  await openFile(app.page, name)
  await focusEditor(app.page)
  await app.page.keyboard.press('Control+End')
  await app.page.keyboard.type(text)
  await expect(tab(app.page, name)).toHaveAccessibleName(/unsaved/)
}

/** Waits until the backups in the user data folder contain exactly these texts. */
async function backedUp(app: App, texts: string[]): Promise<void> {
  const folder = join(app.workspace, '..', 'user', 'backups')
  await expect
    .poll(async () => {
      const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
      const files = names.filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
      // A backup that is being replaced is read on the next attempt.
      const contents = await Promise.all(
        files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8').catch(() => '')),
      )
      return contents.map((content) => content.slice(content.indexOf('\n') + 1)).toSorted()
    })
    .toEqual(texts.toSorted())
}

test('unsaved text is restored after SIGKILL and SIGTERM ended Tizona, and discarded text is not', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c.txt': 'gamma\n' }, ownProcess: true })
  await typeInto(app, 'a.txt', 'typed')
  await typeInto(app, 'b.txt', 'mine')
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await test.step(`unsaved text is restored after ${signal} ended Tizona`, async () => {
      await typeInto(app, 'c.txt', 'kept')
      await backedUp(app, ['alpha\ntyped', 'beta\nmine', 'gamma\nkept'])
      await app.restart(signal, async () => {
        await writeFile(app.path('b.txt'), 'theirs\n')
        await rm(app.path('c.txt'))
      })
      const { page } = app
      await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
      await tab(page, 'a.txt').click()
      await expect.poll(() => shownText(page)).toBe('alpha\ntyped')
      expect(await readFile(app.path('a.txt'), 'utf8')).toBe('alpha\n')

      // Changed on disk in the meantime: the usual conflict.
      await tab(page, 'b.txt').click()
      await expect.poll(() => shownText(page)).toBe('beta\nmine')
      await expect(page.getByRole('tabpanel').getByRole('alert')).toContainText('changed on disk')
      expect(await readFile(app.path('b.txt'), 'utf8')).toBe('theirs\n')

      // Deleted in the meantime: saving creates it again.
      await tab(page, 'c.txt').click()
      await expect.poll(() => shownText(page)).toBe('gamma\nkept')
      await page.getByRole('button', { name: 'Save again' }).click()
      await expect(tab(page, 'c.txt')).toHaveAccessibleName('c.txt')
      expect(await readFile(app.path('c.txt'), 'utf8')).toBe('gamma\nkept')
      await backedUp(app, ['alpha\ntyped', 'beta\nmine'])
      // For the next signal.
      await writeFile(app.path('c.txt'), 'gamma\n')
      await expect.poll(() => shownText(page)).toBe('gamma\n')
    })
  }

  await test.step('discarded text is not restored after a restart', async () => {
    await tab(app.page, 'b.txt').click()
    await app.page
      .getByRole('tabpanel')
      .getByRole('alert')
      .getByRole('button', { name: /Reload/ })
      .click()
    await focusEditor(app.page)
    await app.page.keyboard.press('Control+End')
    await app.page.keyboard.type('mine')
    await backedUp(app, ['alpha\ntyped', 'theirs\nmine'])
    await app.page.keyboard.press('Control+s')
    await expect(tab(app.page, 'b.txt')).toHaveAccessibleName('b.txt')
    await tab(app.page, 'a.txt').click()
    await app.page.getByRole('button', { name: 'Close a.txt' }).click()
    await app.page.getByRole('button', { name: "Don't save" }).click()
    await expect(tab(app.page, 'a.txt')).toHaveCount(0)
    await backedUp(app, [])
    await app.restart('SIGKILL')
    await openFile(app.page, 'a.txt')
    await expect.poll(() => shownText(app.page)).toBe('alpha\n')
    await expect(tab(app.page, 'b.txt')).toHaveAccessibleName('b.txt')
  })
})
