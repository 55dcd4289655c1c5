import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import {
  allowOnce,
  approval,
  card,
  cardIs,
  editor,
  lastAnswer,
  openFile,
  send,
  shownText,
  tab,
  unfold,
} from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

// One story per toolset: the scripted endpoint uses the names of its tools.

const users = `export class UserStore {
  private users: string[] = []
  add(name: string): void { this.users.push(name) }
}
export function createUser(name: string): void { new UserStore().add(name) }
`

/** Checks that the tool console shows two tools of the toolset, and the second one's form. */
async function consoleShows(page: Page, one: string, other: string): Promise<void> {
  await test.step('the tool console shows the tools of the toolset', async () => {
    await page.keyboard.press('Control+Shift+u')
    const console = page.getByRole('region', { name: 'Tool console' })
    const tools = console.getByRole('navigation', { name: 'Tools' })
    await expect(tools.getByText(one, { exact: true })).toBeVisible()
    await tools.getByText(other, { exact: true }).click()
    await expect(console.getByRole('heading')).toContainText(other)
  })
}

test("Zaguán Blade's names: symbols open in the editor, a batch shows each call, many files are listed", async ({
  launch,
}) => {
  const files = {
    'README.md': '# Harbour\n\nKeeps users.\n',
    'src/users.ts': users,
    'src/app.ts': "import { createUser } from './users'\n\ncreateUser('Ada')\n",
  }
  const { page } = await launch({ files, scenario: scenarios.bladeTools, settings: withoutServers })
  await send(page, 'who uses createUser?')
  await expect(lastAnswer(page)).toContainText('Only src/app.ts:3 calls createUser')
  await lastAnswer(page).getByRole('button', { name: 'src/app.ts:3' }).press('Enter')
  await expect(tab(page, 'app.ts')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('Ln 3, Col 1')).toBeVisible()
  await lastAnswer(page).getByRole('button', { name: 'createUser' }).click()
  await expect(tab(page, 'users.ts')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('Ln 5, Col 17')).toBeVisible()
  await expect(lastAnswer(page).getByRole('button', { name: 'missing.ts' })).toHaveCount(0)

  const outline = await unfold(page, 'symbol_outline')
  await expect(outline.getByRole('button', { name: /class UserStore/ })).toBeVisible()
  const batch = await unfold(page, 'batch')
  await expect(batch).toContainText('4 calls, 1 failed')
  await expect(batch.getByTestId('nested-call')).toHaveCount(4)
  await expect(batch.locator('[data-ok="false"]')).toContainText('src/gone.ts')
  await batch.getByTestId('nested-call').nth(1).getByRole('button').first().click()
  await expect(batch.getByRole('button', { name: /createUser\('Ada'\)/ })).toBeVisible()
  const many = await unfold(page, 'read_many_files')
  await expect(many.getByRole('button', { name: 'src/users.ts' })).toBeVisible()
  const index = await unfold(page, 'get_project_index_overview')
  await expect(index.getByRole('region', { name: 'Result' })).toContainText(
    '# Project index\n3 files: TypeScript 2, Markdown 1',
  )

  const graph = await unfold(page, 'symbol_graph')
  await graph.getByRole('button', { name: /src\/app\.ts:3/ }).click()
  await expect(tab(page, 'src/app.ts')).toHaveAttribute('aria-selected', 'true')
  await expect(editor(page)).toBeVisible()
  await expect(page.getByText('Ln 3')).toBeVisible()
  await consoleShows(page, 'symbol_search', 'run_command')
})

test("UltraSushiTron's names: an edit and a patch show their diffs and are written to disk, a command waits for the user", async ({
  launch,
}) => {
  const menu = 'tuna 12\nsalmon 9\nrice 3\n'
  const app = await launch({
    files: { 'menu.txt': menu, 'old.txt': menu },
    scenario: scenarios.ultraSushiTronTools,
    settings: { toolset: 'ultrasushitron', mode: 'cautious' },
  })
  const { page } = app
  await openFile(page, 'menu.txt')
  await send(page, 'correct the price of salmon')
  const question = await approval(page)
  await expect(question.getByTestId('approval-command')).toHaveText('wc -l < menu.txt > count.txt && cat count.txt')
  expect(existsSync(app.path('count.txt'))).toBe(false)
  expect(await readFile(app.path('menu.txt'), 'utf8')).toBe('tuna 12\nsalmon 11\neel 14\nrice 3\n')
  await expect.poll(() => shownText(page)).toContain('salmon 11\neel 14')
  await allowOnce(page)
  await expect(lastAnswer(page)).toContainText('The menu has 4 lines')
  for (const tool of ['Grep', 'Read', 'Edit', 'Patch', 'Diff', 'Bash']) await cardIs(page, tool, 'done')
  await expect(card(page, 'Edit').getByTestId('diff')).toContainText('salmon 11')
  await expect(card(page, 'Patch').getByTestId('diff')).toContainText('eel 14')
  await consoleShows(page, 'Grep', 'Bash')
})

test("Rustant's names: a PDF is read, a file is patched, and staged changes are committed after approval", async ({
  launch,
}) => {
  const pdf = await readFile('e2e/fixtures/documents/harbour.pdf')
  const app = await launch({
    files: { 'report.pdf': pdf, 'ships.txt': 'ships 2\nlength ?\n' },
    scenario: scenarios.rustantTools,
    settings: { toolset: 'rustant', mode: 'safe' },
  })
  const { page } = app
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: app.workspace })).stdout
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Ada')
  await git('config', 'user.email', 'ada@example.org')
  await git('add', '.')
  await git('commit', '-q', '-m', 'Begin')

  await send(page, 'put the length into the list')
  await expect((await approval(page)).getByTestId('diff')).toContainText('length 199')
  // The user opens another card first, so the request does not have the focus when its button is pressed.
  const report = await unfold(page, 'document_read')
  await expect(report).toContainText('Harbour report')
  await allowOnce(page)
  await expect(lastAnswer(page)).toContainText('Stage it')
  expect(await readFile(app.path('ships.txt'), 'utf8')).toBe('ships 2\nlength 199\n')
  await expect((await cardIs(page, 'git_diff', 'done')).getByTestId('diff')).toContainText('length 199')

  await git('add', 'ships.txt')
  await send(page, 'commit it')
  const question = await approval(page)
  await expect(question).toContainText('Add the length of all ships')
  await expect(question.getByTestId('diff')).toContainText('length 199')
  expect(await git('log', '--format=%s')).toBe('Begin\n')
  await allowOnce(page)
  await expect(lastAnswer(page)).toContainText('Done: Committed')
  expect(await git('log', '--format=%s')).toBe('Add the length of all ships\nBegin\n')
  await consoleShows(page, 'document_read', 'git_commit')
})

test("Rusty's names: a patch over four files is one card with one undo", async ({ launch }) => {
  const files = {
    'src/lib.rs': 'pub fn name() -> &\'static str {\n    "harbor"\n}\n',
    'src/old.rs': 'pub fn old() {}\n',
    'gone.txt': 'bye\n',
  }
  const app = await launch({ files, scenario: scenarios.rustyTools, settings: { toolset: 'rusty', mode: 'yolo' } })
  const { page } = app
  await send(page, 'rename the harbour')
  await expect(lastAnswer(page)).toContainText('Four files changed')
  await cardIs(page, 'file_read', 'done')
  const patched = await cardIs(page, 'apply_patch', 'done')
  await expect(patched.getByTestId('diff')).toContainText('src/berth.rs')
  await expect(patched.getByTestId('diff')).toContainText('notes.md')
  expect(await readFile(app.path('src/lib.rs'), 'utf8')).toBe('pub fn title() -> &\'static str {\n    "harbour"\n}\n')
  expect(await readFile(app.path('src/berth.rs'), 'utf8')).toBe('pub fn berth() {}\n')
  expect([
    existsSync(app.path('src/old.rs')),
    existsSync(app.path('gone.txt')),
    existsSync(app.path('notes.md')),
  ]).toEqual([false, false, true])

  await (await cardIs(page, 'file_edit', 'done')).getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'file_edit').getByText('Undone')).toBeVisible()
  await patched.getByRole('button', { name: 'Undo' }).click()
  await expect(patched.getByText('Undone')).toBeVisible()
  expect(await readFile(app.path('src/lib.rs'), 'utf8')).toBe(files['src/lib.rs'])
  expect([
    existsSync(app.path('src/old.rs')),
    existsSync(app.path('gone.txt')),
    existsSync(app.path('notes.md')),
  ]).toEqual([true, true, false])
  await consoleShows(page, 'file_edit', 'apply_patch')
})
