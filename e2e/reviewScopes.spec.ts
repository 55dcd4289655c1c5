import { access, readFile, stat } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { expect, long, test } from './support/app.ts'
import { notice } from './support/git.ts'
import { editor, focusEditor, lastAnswer, openFile, runPalette, send, shownText, tab } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'
import { fileServer, listText } from './scenarios/reviewedTurns.ts'

const settings = { mode: 'yolo' as const }
const list = (page: Page): Locator => page.getByRole('tree', { name: 'Changed files' })
const rows = (page: Page): Locator => list(page).getByRole('treeitem')
const row = (page: Page, name: string): Locator => rows(page).filter({ hasText: name })
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/** Sends a message and waits for the end of its turn. */
async function turn(page: Page, message: string, answered: string): Promise<void> {
  await send(page, message)
  await expect(lastAnswer(page)).toContainText(answered)
}

/** Shows the changes of one turn. @param index of its summary in the conversation */
async function reviewTurn(page: Page, index: number): Promise<void> {
  await page.getByTestId('turn-review').nth(index).getByRole('button', { name: 'Review' }).click()
  await expect(list(page)).toBeVisible()
}

test('changes of every kind by a command and an MCP server are listed, visited by key and undone', async ({
  launch,
}) => {
  const { page, path } = await launch({
    files: {
      'list.txt': listText(),
      'notes/old.md': '# Notes\n\nOld.\n',
      'gone.txt': 'gone\n',
      'run.sh': '#!/bin/sh\n',
      'server.mjs': fileServer,
      '.mcp.json': JSON.stringify({ mcpServers: { files: { command: process.execPath, args: ['server.mjs'] } } }),
    },
    scenario: scenarios.reviewedTurns,
    settings,
  })
  await page.getByRole('button', { name: 'Review…' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Trust and start' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await turn(page, 'Rearrange the files', 'Rearranged')
  await turn(page, 'Use the server', 'The server is done')
  await page.keyboard.press('Control+Alt+r')
  await expect(rows(page)).toHaveText([
    'by server.txt+1−0Aadded',
    'gone.txt+0−1Ddeleted',
    'list.txt+2−2Mchanged',
    'logo.binbinaryAadded',
    'made.txt+1−0Aadded',
    /^old.md → new.md.*Rrenamed$/,
    'run.sh755Mchanged',
  ])

  // From the list, the keys visit every change with lines, across files and around the end.
  const bar = page.getByRole('toolbar', { name: /^Change \d of \d/ })
  const visited = async (title: string, change: RegExp | null) => {
    await expect(tab(page, title)).toHaveAttribute('aria-selected', 'true')
    if (change) await expect(bar).toHaveAccessibleName(change)
  }
  await page.keyboard.press('Alt+F5')
  await visited('by server.txt', /^Change 1 of 1: 1 line added/)
  await page.keyboard.press('Alt+F5')
  await visited('gone.txt', null)
  await page.keyboard.press('Alt+F5')
  await visited('list.txt', /^Change 1 of 2/)
  await page.keyboard.press('Alt+F5')
  await visited('list.txt', /^Change 2 of 2/)
  await page.keyboard.press('Alt+F5')
  await visited('made.txt', /^Change 1 of 1/)
  await page.keyboard.press('Alt+F5')
  await visited('by server.txt', /^Change 1 of 1/)
  await page.keyboard.press('Shift+Alt+F5')
  await visited('made.txt', /^Change 1 of 1/)
  await page.keyboard.press('Shift+Alt+F5')
  await visited('list.txt', /^Change 2 of 2/)

  // Opens the changes side by side with the key, and undoes one of them there.
  await list(page).focus()
  for (const name of ['Home', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(name)
  await expect(row(page, 'list.txt')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Control+Enter')
  const sides = page.getByRole('toolbar', { name: 'Changes in list.txt' })
  await expect(sides).toBeVisible()
  await sides.getByRole('button', { name: 'Undo file' }).click()
  await expect.poll(() => readFile(path('list.txt'), 'utf8')).toBe(listText())
  await expect(sides).toContainText('No changes left')

  const undo = async (name: string) => {
    await row(page, name).hover()
    await row(page, name)
      .getByRole('button', { name: /^Undo the changes/ })
      .click()
    await expect(row(page, name)).toHaveCount(0)
  }
  await row(page, 'run.sh').click()
  await expect(page.getByRole('note')).toContainText('Permissions: 644 → 755.')
  await undo('run.sh')
  expect((await stat(path('run.sh'))).mode & 0o777).toBe(0o644)
  await undo('logo.bin')
  expect(await exists(path('logo.bin'))).toBe(false)
  await undo('new.md')
  expect(await exists(path('notes/new.md'))).toBe(false)
  expect(await readFile(path('notes/old.md'), 'utf8')).toBe('# Notes\n\nOld.\n')
  await undo('gone.txt')
  expect(await readFile(path('gone.txt'), 'utf8')).toBe('gone\n')
  await page.getByRole('button', { name: 'Keep all', exact: true }).click()
  await expect(page.getByText('Nothing to review')).toBeVisible()
  expect(await readFile(path('by server.txt'), 'utf8')).toBe('made\n')
  expect(await readFile(path('made.txt'), 'utf8')).toBe('made\n')
})

test('one turn alone is undone and reverted; where later changes or unsaved text are in the way, nothing is overwritten', async ({
  launch,
}) => {
  const { page, path } = await launch({
    files: { 'list.txt': listText() },
    scenario: scenarios.reviewedTurns,
    settings,
  })
  const text = () => readFile(path('list.txt'), 'utf8')
  await turn(page, 'First', 'loud')
  await turn(page, 'Second', 'ninth')
  await reviewTurn(page, 0)
  await expect(page.getByRole('combobox', { name: 'Changes to show' })).toContainText('Turn "First"')
  await expect(rows(page)).toHaveText(['list.txt+1−1Mchanged'])
  await page.getByRole('button', { name: 'Undo all' }).click()
  await expect.poll(text).toBe(listText({ nine: 'NINE' }))
  await notice(page, 'Undid the changes in 1 file.').getByRole('button', { name: 'Revert' }).click()
  await expect.poll(text).toBe(listText({ two: 'TWO', nine: 'NINE' }))

  await turn(page, 'Third', 'German')
  await reviewTurn(page, 0)
  await row(page, 'list.txt').click({ position: { x: 40, y: 10 } })
  await expect(page.getByRole('note')).toContainText('cannot be undone alone')
  await row(page, 'list.txt')
    .getByRole('button', { name: /^Undo the changes/ })
    .click()
  await expect(notice(page, 'Later changes')).toBeVisible()
  expect(await text()).toBe(listText({ two: 'ZWEI', nine: 'NINE' }))
  await reviewTurn(page, 2)
  await page.getByRole('button', { name: 'Keep all', exact: true }).click()
  await page.getByRole('combobox', { name: 'Changes to show' }).selectOption('All pending changes')
  // The line that replaced the one of the first turn is kept. Only that of the second turn is pending.
  await expect(rows(page)).toHaveText(['list.txt+1−1Mchanged'])
  await expect(page.getByRole('toolbar', { name: 'Changes in list.txt' })).toContainText('No changes left')
  await page.getByRole('button', { name: 'Keep all', exact: true }).click()
  await expect(page.getByText('Nothing to review')).toBeVisible()
  await runPalette(page, 'File: Close tab')

  // Unsaved text of the user and a change of a command on disk: neither is lost.
  await openFile(page, 'list.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('mine ')
  await expect(tab(page, 'list.txt')).toHaveAccessibleName(/unsaved/)
  await turn(page, 'Replace on disk', 'Replaced')
  await expect(page.getByRole('tabpanel').getByRole('alert')).toContainText('The file changed on disk')
  await expect(row(page, 'list.txt').getByRole('img', { name: 'Problem' })).toBeVisible()
  await expect.poll(() => shownText(page)).toContain('mine one\nZWEI')
  expect(await text()).toBe(listText({ two: 'ZWEI', nine: 'NINE', five: 'CINQ' }))
  await page.getByRole('button', { name: 'Undo all' }).click()
  await expect(editor(page)).toContainText('mine one')
  expect(await text()).toBe(listText({ two: 'ZWEI', nine: 'NINE', five: 'CINQ' }))
})

test('restoring a checkpoint, undoing that and a fork keep the state of the review', long, async ({ launch }) => {
  const { page, path } = await launch({
    files: { 'list.txt': listText() },
    scenario: scenarios.reviewedTurns,
    settings,
  })
  const text = () => readFile(path('list.txt'), 'utf8')
  const more = async (message: number, item: string) => {
    const article = page.getByRole('article', { name: 'You' }).nth(message)
    await article.hover()
    await article.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await turn(page, 'First', 'loud')
  await turn(page, 'Second', 'ninth')
  await page.keyboard.press('Control+Alt+r')
  await expect(rows(page)).toHaveText(['list.txt+2−2Mchanged'])
  await more(1, 'Restore…')
  await page.getByRole('dialog').getByRole('button', { name: 'Files and conversation' }).click()
  await expect(rows(page)).toHaveText(['list.txt+1−1Mchanged'])
  expect(await text()).toBe(listText({ two: 'TWO' }))
  await page.getByRole('button', { name: 'Undo restore' }).click()
  await expect(rows(page)).toHaveText(['list.txt+2−2Mchanged'])
  expect(await text()).toBe(listText({ two: 'TWO', nine: 'NINE' }))

  await more(1, 'Fork the conversation here')
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
  await expect(rows(page)).toHaveText(['list.txt+2−2Mchanged'])
  // The copied turn is still reviewed alone.
  await reviewTurn(page, 0)
  await expect(rows(page)).toHaveText(['list.txt+1−1Mchanged'])
  await page.getByRole('button', { name: 'Undo all' }).click()
  await expect.poll(text).toBe(listText({ nine: 'NINE' }))
  await page.getByRole('combobox', { name: 'Changes to show' }).selectOption('All pending changes')
  await expect(rows(page)).toHaveText(['list.txt+1−1Mchanged'])
  await page.getByRole('button', { name: /^Revert: / }).click()
  await expect.poll(text).toBe(listText({ two: 'TWO', nine: 'NINE' }))
  await expect(rows(page)).toHaveText(['list.txt+2−2Mchanged'])
})
