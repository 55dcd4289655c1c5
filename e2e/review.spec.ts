import { access, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { gitIn, repository } from './support/git.ts'
import { withoutServers } from './support/settings.ts'
import { lastAnswer, newConversation, openFile, send, shownText } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'
import { reviewedFile } from './scenarios/reviewedEdits.ts'

const files = { 'src/users.ts': reviewedFile.before, 'README.md': '# Harbour\n', 'old.md': 'Old notes.\n' }
const launchOptions = {
  files,
  scenario: scenarios.reviewedEdits,
  settings: { mode: 'yolo' as const, ...withoutServers },
}

const bar = (page: Page): Locator => page.locator('.hunk-bar')
const list = (page: Page): Locator => page.getByRole('tree', { name: 'Changed files' })
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

test('changes of the agent show in the editor by the hunk: one is kept, one undone by key, one edited by hand', async ({
  launch,
}) => {
  const app = await launch(launchOptions)
  const { page } = app
  await openFile(page, 'src/users.ts')
  await send(page, 'Limit the users')
  await expect(lastAnswer(page)).toContainText('limited')
  await expect(page.locator('.hunk-zone-removed')).toHaveText(['export const limit = 10', 'const users: string[] = []'])
  await expect(bar(page)).toContainText('1 of 3')
  await bar(page).getByRole('button', { name: 'Keep' }).click()
  await expect(bar(page)).toContainText('1 of 2')

  await page.keyboard.press('Alt+F5')
  await expect(bar(page)).toHaveAccessibleName('Change 1 of 2: 1 line added, 0 removed')
  await page.keyboard.press('Control+Alt+u')
  await expect(bar(page)).toContainText('1 of 1')
  await expect.poll(() => shownText(page)).not.toContain('full')

  // The cursor is at the last change. Typing in it is part of the change.
  await page.keyboard.type('export ')
  await expect.poll(() => shownText(page)).toContain("export const users: string[] = ['Ada']")
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Control+Alt+y')
  await expect(bar(page)).toHaveCount(0)
  await expect(page.locator('.hunk-zone-removed')).toHaveCount(0)
  const expected = reviewedFile.before
    .replace('limit = 10', 'limit = 20')
    .replace('const users: string[] = []', "export const users: string[] = ['Ada']")
  await expect.poll(() => readFile(app.path('src/users.ts'), 'utf8')).toBe(expected)
})

test('changes that undo in the editor or git took away are hunks again when their text returns', async ({ launch }) => {
  const { prepare } = repository(files)
  const app = await launch({ ...launchOptions, ...(prepare && { prepare }) })
  const { page } = app
  await openFile(page, 'src/users.ts')
  await send(page, 'Limit the users')
  await expect(lastAnswer(page)).toContainText('limited')
  await expect(bar(page)).toContainText('of 3')
  const pressInText = async (key: string) => {
    await page.locator('.monaco-editor .view-lines').first().click()
    await page.keyboard.press(key)
  }
  await test.step('redo after undo in the editor', async () => {
    while (await bar(page).isVisible()) await pressInText('Control+z')
    await expect(bar(page)).toHaveCount(0)
    await expect.poll(() => shownText(page)).toContain('limit = 10')
    await pressInText('Control+Shift+z')
    await expect(bar(page)).toContainText(' of ')
    await expect.poll(async () => (await pressInText('Control+Shift+z'), bar(page).innerText())).toContain('of 3')
    await page.keyboard.press('Control+s')
  })
  await test.step('undo of one hunk, undo in the editor and a save', async () => {
    await bar(page).getByRole('button', { name: 'Undo' }).click()
    await expect(bar(page)).toContainText('of 2')
    await pressInText('Control+z')
    await expect(bar(page)).toContainText('of 3')
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(app.path('src/users.ts'), 'utf8')).toBe(reviewedFile.after)
    await expect(bar(page)).toContainText('of 3')
  })
  await test.step('git stash and git stash pop', async () => {
    const git = gitIn(dirname(app.path('README.md')))
    await git('stash')
    await expect(bar(page)).toHaveCount(0)
    await git('stash', 'pop')
    await expect(bar(page)).toContainText('of 3')
  })
})

/** Undoes all pending changes, with the button of the review. */
async function undoAll(page: Page): Promise<void> {
  await page.keyboard.press('Control+Alt+r')
  await page.getByRole('button', { name: 'Undo all' }).click()
  await expect(page.getByText('Nothing to review')).toBeVisible()
}

test('changes are commented, undone and kept from the list, and reverted after a restart', async ({ launch }) => {
  const app = await launch({ ...launchOptions, ownProcess: true })
  const { page } = app
  await test.step('a comment on a change goes to the agent with the next message; undo waits for the end of a running call', async () => {
    await send(page, 'Limit the users')
    await expect(lastAnswer(page)).toContainText('limited')
    await expect(page.getByRole('button', { name: 'Review, 1 file to review' })).toBeVisible()
    await page.keyboard.press('Alt+F5')
    await expect(bar(page)).toContainText('1 of 3')
    await page.keyboard.press('Control+Alt+m')
    await expect(page.getByRole('textbox', { name: 'Comment on this change' })).toBeFocused()
    await page.keyboard.type('Why twenty?')
    await page.keyboard.press('Enter')
    const chips = page.getByRole('list', { name: 'Comments for the agent' })
    await expect(chips.getByRole('listitem')).toHaveText([/users\.ts:2.*Why twenty\?/])
    await send(page, 'Explain, please')
    await expect(lastAnswer(page)).toContainText('src/users.ts:2: Why twenty?')
    await expect(lastAnswer(page)).toContainText('Explain, please')
    await expect(chips).toHaveCount(0)

    // A change that is undone while a call runs waits for the end of the call, and the model is informed.
    await send(page, 'Wait')
    await expect.poll(() => exists(app.path('started'))).toBe(true)
    await bar(page).getByRole('button', { name: 'Undo' }).click()
    await expect(bar(page)).toContainText('Queued')
    await writeFile(app.path('go'), '')
    await expect(lastAnswer(page)).toContainText('The result')
    await expect(bar(page)).toContainText('1 of 2')
    await expect.poll(() => shownText(page)).toContain('limit = 10')
  })

  await undoAll(page)
  await newConversation(page)
  await test.step('the list shows the changes of a file: one is undone with its button, one is kept by key', async () => {
    await send(page, 'Limit the users')
    await expect(lastAnswer(page)).toContainText('limited')
    await page.keyboard.press('Control+Alt+r')
    await list(page).focus()
    await page.keyboard.press('ArrowRight')
    const hunks = list(page).getByRole('treeitem', { name: /^Change / })
    await expect(hunks).toHaveCount(3)
    await expect(hunks.first()).toContainText('export const limit = 20')
    await hunks.first().hover()
    await hunks.first().getByRole('button', { name: 'Undo this change' }).click()
    await expect(hunks).toHaveCount(2)
    await expect.poll(() => readFile(app.path('src/users.ts'), 'utf8')).toContain('limit = 10')

    await list(page).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expect(hunks.first()).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('Control+Alt+y')
    await expect(hunks).toHaveCount(1)
    expect(await readFile(app.path('src/users.ts'), 'utf8')).toContain("throw new Error('full')")
  })

  await undoAll(page)
  await newConversation(page)
  await test.step('the review lists what a command changed; undoing all and reverting that survive a restart', async () => {
    await send(app.page, 'Tidy up')
    await expect(lastAnswer(app.page)).toContainText('Tidied')
    const turns = app.page.getByTestId('turn-review')
    await expect(turns).toContainText('3 files')
    await turns.getByRole('button', { name: 'Review' }).click()
    const rows = list(app.page).getByRole('treeitem')
    await expect(rows).toHaveText(['README.md+1−1Mchanged', 'made.txt+1−0Aadded', 'old.md+0−1Ddeleted'])

    // A deleted file is shown as a diff.
    await rows.filter({ hasText: 'old.md' }).click({ position: { x: 40, y: 10 } })
    await expect.poll(() => shownText(app.page)).toContain('Old notes.')

    await app.page.getByRole('button', { name: 'Undo all' }).click()
    await expect(app.page.getByText('Nothing to review')).toBeVisible()
    expect(await readFile(app.path('README.md'), 'utf8')).toBe('# Harbour\n')
    expect(await exists(app.path('made.txt'))).toBe(false)
    expect(await exists(app.path('old.md'))).toBe(true)

    await app.restart('SIGTERM')
    await app.page.getByRole('button', { name: /^Revert: / }).click()
    await expect(list(app.page).getByRole('treeitem')).toHaveCount(3)
    expect(await readFile(app.path('made.txt'), 'utf8')).toBe('made\n')
    expect(await exists(app.path('old.md'))).toBe(false)
  })
})
