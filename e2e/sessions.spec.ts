import type { Page } from '@playwright/test'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { call, say, step, waitForGate, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { checkView } from './support/accessibility.ts'
import { expect, onlyBrowser, test } from './support/app.ts'
import { gitIn, repository, showGit } from './support/git.ts'
import { newConversation, runPalette, send } from './support/window.ts'
import { runCommand } from './scenarios/runCommand.ts'

const files = { 'a.txt': 'one\n', '.tizona/settings.json': '{ "sessions": { "setUp": "cp a.txt built.txt" } }\n' }

/** Makes a worktree in the window, which then shows it. @returns its folder */
async function newSession(page: Page, workspace: string, name: string): Promise<string> {
  // The command needs the repository, which is looked for after the start.
  await expect(page.getByRole('button', { name: /^Branch / })).toBeVisible()
  await runPalette(page, 'New session in a worktree')
  await page.getByRole('textbox', { name: /^Name/ }).fill(name)
  await page.getByRole('button', { name: 'Create session' }).click()
  await expect(page.getByRole('button', { name: new RegExp(`^Branch tizona/${name}`) })).toBeVisible()
  const list = await gitIn(workspace)('worktree', 'list', '--porcelain')
  return new RegExp(`^worktree (.*/${name})$`, 'm').exec(list)?.[1] ?? ''
}

/** Shows the repository again in place of a worktree. */
async function openAgain(page: Page, workspace: string): Promise<void> {
  await runPalette(page, 'Close folder')
  await page.getByRole('button', { name: new RegExp(`^${basename(workspace)}`) }).click()
  await expect(page.getByRole('button', { name: /^Branch main/ })).toBeVisible()
}

// The desktop opens the worktree in a second window.
test(
  'a session in a worktree is created, set up, taken over for review and removed',
  onlyBrowser,
  async ({ launch }) => {
    const { page, workspace } = await launch(repository(files))
    const git = gitIn(workspace)
    await showGit(page)
    await runPalette(page, 'New session in a worktree')
    await page.getByRole('textbox', { name: /^Name/ }).fill('feature')
    await page.getByRole('button', { name: 'Create session' }).click()
    await expect(page.getByRole('dialog')).toContainText('cp a.txt built.txt')
    await page.getByRole('button', { name: 'Allow command' }).click()
    await expect(page.getByRole('treeitem', { name: 'built.txt' })).toBeVisible()
    const worktree = /^worktree (.*\/feature)$/m.exec(await git('worktree', 'list', '--porcelain'))?.[1] ?? ''
    await writeFile(join(worktree, 'a.txt'), 'two\n')

    await openAgain(page, workspace)
    await runPalette(page, 'Show source control')
    await expect(page.getByRole('textbox', { name: 'Commit message' })).toBeVisible()
    await runPalette(page, 'Sessions in worktrees')
    const session = page.getByRole('option', { name: /^feature/ })
    await expect(session).toContainText('2 changed files, work that is nowhere else')
    await session.click()
    await page.getByRole('option', { name: /^Take over/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Take over from "feature"' })
    await expect(dialog.getByRole('checkbox', { name: 'a.txt', exact: true })).toBeChecked()
    await checkView(page, 'take over')
    await dialog.getByRole('button', { name: 'Take over 2 files' }).click()
    await expect(page.getByText('Took over 2 files of "feature".')).toBeVisible()
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('two\n')
    await page.getByRole('button', { name: 'Review', description: 'Review (Ctrl+Alt+R)' }).click()
    await expect(page.getByRole('treeitem', { name: /a\.txt/ }).first()).toBeVisible()

    await runPalette(page, 'Sessions in worktrees')
    await session.click()
    await page.getByRole('option', { name: /^Remove/ }).click()
    await expect(page.getByRole('dialog')).toContainText('kept for 30 days')
    await page.getByRole('button', { name: 'Remove session' }).click()
    await expect(page.getByText('Removed the session "feature".')).toBeVisible()
    expect(existsSync(worktree)).toBe(false)
    expect(await git('worktree', 'list')).not.toContain('feature')
    expect(await git('for-each-ref', 'refs/tizona')).toContain('refs/tizona/kept/feature-')
  },
)

test('a call of another conversation is allowed in the sessions view, without leaving this one', async ({ launch }) => {
  const { page } = await launch({ ...repository(files), scenario: runCommand })
  await send(page, 'run: echo first > out.txt')
  await expect(page.getByTestId('approval-card')).toBeVisible()
  await newConversation(page)
  await runPalette(page, 'Show sessions')
  const view = page.getByRole('complementary', { name: 'Sessions' })
  const waiting = view.locator('.sessions-item[data-state=approval]')
  await expect(waiting).toContainText('run: echo first')
  await expect(waiting).toContainText('main')
  const card = waiting.getByTestId('approval-card')
  await expect(card).toHaveAttribute('data-armed', 'true')
  await checkView(page, 'sessions with an approval')
  await card.getByRole('button', { name: 'Allow once' }).click()
  await expect(view.getByRole('region', { name: 'Recent' })).toContainText('run: echo first')
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(0)
  await checkView(page, 'sessions')
})

test(
  'a session goes on while the page shows a worktree, and is answered from there',
  onlyBrowser,
  async ({ launch }) => {
    const { page, workspace } = await launch({ ...repository({ 'a.txt': 'one\n' }), scenario: runCommand })
    await send(page, 'run: echo first > out.txt')
    await expect(page.getByTestId('approval-card')).toBeVisible()
    await page.getByRole('button', { name: 'More ways to start' }).click()
    await page.getByRole('menuitem', { name: 'New session in a worktree' }).click()
    await page.getByRole('textbox', { name: /^Name/ }).fill('feature')
    await page.getByRole('button', { name: 'Create session' }).click()
    await expect(page.getByRole('button', { name: /^Branch tizona\/feature/ })).toBeVisible()
    await expect(page.getByTestId('approval-card')).toHaveCount(0)

    await page.getByRole('button', { name: 'Sessions, 1 answer needed' }).click()
    const view = page.getByRole('complementary', { name: 'Sessions' })
    const waiting = view.locator('.sessions-item[data-state=approval]')
    await expect(waiting).toContainText(basename(workspace))
    await expect(view.getByRole('region', { name: 'Recent' })).toContainText('tizona/feature')
    await expect(waiting.getByTestId('approval-card')).toHaveAttribute('data-armed', 'true')
    await waiting.getByRole('button', { name: 'Allow once' }).click()
    await expect(view.locator('.sessions-item[data-state=done]')).toContainText('run: echo first')
    expect(await readFile(join(workspace, 'out.txt'), 'utf8')).toBe('first\n')
    await expect(page.getByRole('button', { name: 'Sessions', exact: true })).toBeVisible()

    await view
      .getByRole('button', { name: /run: echo first/ })
      .first()
      .click()
    await expect(page.getByRole('button', { name: /^Branch main/ })).toBeVisible()
    await expect(page.getByRole('article', { name: 'Answer' }).last()).toContainText('The model read:')
    // The core of the worktree is open without a page. The removal closes it.
    const unused = view.getByRole('button', { name: /^Not started feature/ })
    await unused.focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Remove worktree' }).click()
    await page.getByRole('button', { name: 'Remove session' }).click()
    await expect(unused).toHaveCount(0)
  },
)

test(
  'a hunk of a session is taken over from the view, and the worktree is removed',
  onlyBrowser,
  async ({ launch }) => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`)
    const { page, workspace } = await launch(repository({ 'a.txt': lines.join(''), '.gitignore': 'out/\n' }))
    const worktree = await newSession(page, workspace, 'feature')
    await writeFile(join(worktree, 'a.txt'), ['first\n', ...lines.slice(1, -1), 'last\n'].join(''))
    await mkdir(join(worktree, 'out'))
    await writeFile(join(worktree, 'out', 'built.txt'), 'x\n')
    await openAgain(page, workspace)

    await runPalette(page, 'Show sessions')
    const row = page.getByRole('complementary', { name: 'Sessions' }).getByRole('button', { name: /feature.*not open/ })
    await expect(row).toContainText('1 file')
    await row.focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Take over into this folder' }).click()
    const dialog = page.getByRole('dialog', { name: 'Take over from "feature"' })
    await dialog.getByRole('checkbox', { name: 'Change 2 of 2 in a.txt' }).uncheck()
    await dialog.getByRole('button', { name: 'Take over 1 file' }).click()
    await expect(page.getByText('Took over 1 file of "feature".')).toBeVisible()
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe(['first\n', ...lines.slice(1)].join(''))

    await row.focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Remove worktree' }).click()
    await expect(page.getByRole('dialog')).toContainText(
      '1 other file that git ignores, such as build output, will be deleted',
    )
    await page.getByRole('button', { name: 'Remove session' }).click()
    await expect(row).toHaveCount(0)
    expect(existsSync(worktree)).toBe(false)
  },
)

test(
  'the branch of a session is rebased and merged, with its uncommitted work and a conflict',
  onlyBrowser,
  async ({ launch }) => {
    const { page, workspace } = await launch(repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' }))
    const git = gitIn(workspace)
    await expect(page.getByRole('button', { name: /^Branch main/ })).toBeVisible()
    const worktree = await newSession(page, workspace, 'feature')
    await writeFile(join(worktree, 'a.txt'), 'session\n')
    await openAgain(page, workspace)
    await writeFile(join(workspace, 'b.txt'), 'folder\n')
    await git('commit', '-qam', 'folder')

    await runPalette(page, 'Show sessions')
    const row = page.getByRole('complementary', { name: 'Sessions' }).getByRole('button', { name: /feature.*not open/ })
    const choose = async (name: string) => {
      await row.click({ button: 'right' })
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await choose('Rebase onto main')
    const question = page.getByRole('dialog', { name: '"feature" has 1 uncommitted file' })
    await expect(question).toContainText('a.txt')
    await question.getByRole('button', { name: 'Commit here…' }).click()
    await page.getByRole('textbox', { name: 'Commit message' }).fill('work')
    await page.getByRole('button', { name: 'Commit', exact: true }).click()
    await expect(page.getByText('Rebased "feature" onto main.')).toBeVisible()
    expect(await git('log', '--format=%s', 'tizona/feature')).toBe('work\nfolder\nBegin\n')

    await choose('Merge branch into main')
    await expect(page.getByText('Merged tizona/feature into main.')).toBeVisible()
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('session\n')

    await writeFile(join(workspace, 'a.txt'), 'folder\n')
    await git('commit', '-qam', 'other')
    await writeFile(join(worktree, 'a.txt'), 'again\n')
    await choose('Merge branch into main')
    await page.getByRole('dialog').getByRole('button', { name: 'Commit here…' }).click()
    await page.getByRole('textbox', { name: 'Commit message' }).fill('more work')
    await page.getByRole('button', { name: 'Commit', exact: true }).click()
    await expect(page.getByText('Merge in progress')).toBeVisible()
    await page
      .getByRole('treeitem', { name: /a\.txt/ })
      .first()
      .click()
    await expect(page.getByRole('region', { name: 'Theirs' })).toContainText('again')
    await page.getByRole('button', { name: 'Abort' }).click()
    await page.getByRole('button', { name: 'Abort merge' }).click()
    await expect(page.getByText('Merge in progress')).toHaveCount(0)
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('folder\n')

    await runPalette(page, 'Show sessions')
    await choose('Rebase onto main')
    await expect(page.getByText(/The rebase of "feature" onto main stopped/)).toBeVisible()
    await page.getByRole('button', { name: 'Abort rebase' }).click()
    const abort = page.getByRole('dialog', { name: 'Abort the rebase of "feature"?' })
    await expect(abort).toContainText('a.txt')
    await abort.getByRole('button', { name: 'Abort rebase' }).click()
    await expect(page.getByText('Aborted the rebase of "feature".')).toBeVisible()
    expect(await git('log', '-1', '--format=%s', 'tizona/feature')).toBe('more work\n')
  },
)

test(
  'a file that both changed is resolved in the conflict editor, where the model proposes a hunk',
  onlyBrowser,
  async ({ launch }) => {
    const scenario: Scenario = {
      name: 'resolves',
      turns: [{ prompt: /merge conflict/, steps: [step('resolves', say('```\nboth two\n```'))] }],
    }
    const text = 'one\ntwo\nthree\nfour\nfive\n'
    const { page, workspace, endpoint } = await launch({ ...repository({ 'a.txt': text, 'b.txt': 'b\n' }), scenario })
    await expect(page.getByRole('button', { name: /^Branch main/ })).toBeVisible()
    const worktree = await newSession(page, workspace, 'feature')
    await writeFile(join(worktree, 'a.txt'), text.replace('two', 'session two').replace('five', 'session five'))
    await writeFile(join(worktree, 'b.txt'), 'session b\n')
    await openAgain(page, workspace)
    const mine = text.replace('two', 'folder two').replace('four\nfive', 'folder four\nfolder five')
    await writeFile(join(workspace, 'a.txt'), mine)

    await runPalette(page, 'Show sessions')
    const row = page.getByRole('complementary', { name: 'Sessions' }).getByRole('button', { name: /feature.*not open/ })
    await row.click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Take over into this folder' }).click()
    const dialog = page.getByRole('dialog', { name: 'Take over from "feature"' })
    await dialog.getByRole('button', { name: 'Take over 2 files' }).click()
    const conflicts = dialog.getByRole('region', { name: 'Conflicts' })
    await expect(conflicts).toContainText('Nothing was taken over yet: 1 file changed in the session and here.')
    await checkView(page, 'take over with a conflict')
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('b\n')
    await conflicts.getByRole('button', { name: 'Resolve…' }).click()
    const editor = page.getByRole('dialog', { name: 'Resolve a.txt' })
    await expect(editor.getByRole('status').filter({ hasText: '2 conflicts' })).toBeVisible()
    await expect(editor.getByRole('region', { name: 'Theirs' })).toContainText('session two')

    await editor.getByRole('button', { name: 'Ask the model' }).click()
    const accept = editor.getByRole('button', { name: 'Accept change 1 of 1' })
    await expect(accept).toBeVisible()
    await expect(editor.locator('.hunk-zone-added .hunk-zone-text')).toHaveText(['both two'])
    expect(JSON.stringify(endpoint?.requests.map(({ body }) => body))).toContain('<<<<<<< this folder')
    await accept.click()
    await expect(editor.getByRole('status').filter({ hasText: '1 conflict' })).toBeVisible()
    await editor.getByRole('group', { name: 'Conflict 1' }).getByRole('button', { name: 'Accept both' }).click()
    await expect(editor.getByText('No conflicts left')).toBeVisible()
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe(mine)
    await editor.getByRole('button', { name: 'Use this result' }).click()
    await expect(conflicts).toContainText('All conflicts are resolved.')
    await dialog.getByRole('button', { name: 'Take over 2 files' }).click()
    await expect(page.getByText('Took over 2 files of "feature".')).toBeVisible()
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe(
      'one\nboth two\nthree\nfolder four\nfolder five\nfour\nsession five\n',
    )
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('session b\n')
  },
)

test('two sessions are compared beside each other, and one is taken over', onlyBrowser, async ({ launch }) => {
  const { page, workspace } = await launch(repository({ 'a.txt': 'one\ntwo\nthree\n' }))
  const changes = { first: 'one\nFIRST\nthree\n', second: 'one\nSECOND\nthree\n' }
  for (const [name, text] of Object.entries(changes)) {
    const worktree = await newSession(page, workspace, name)
    await writeFile(join(worktree, 'a.txt'), text)
    await writeFile(join(worktree, `${name}.txt`), `${name}\n`)
    await openAgain(page, workspace)
  }
  await runPalette(page, 'Show sessions')
  const view = page.getByRole('complementary', { name: 'Sessions' })
  await view.getByRole('button', { name: /first.*not open/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Compare with another session' }).click()
  // The only other one is chosen by the Enter key.
  await expect(page.getByRole('option', { name: /^second/ })).toBeVisible()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: '"first" and "second"' })
  await expect(dialog.getByRole('region', { name: 'a.txt', exact: true })).toContainText('FIRST')
  await expect(dialog.getByRole('region', { name: 'a.txt', exact: true })).toContainText('SECOND')
  await expect(dialog.getByRole('region', { name: 'first.txt', exact: true })).toContainText('Not changed')
  await checkView(page, 'comparison of two sessions')
  await dialog.getByRole('button', { name: 'Take over…' }).nth(1).click()
  await page
    .getByRole('dialog', { name: 'Take over from "second"' })
    .getByRole('button', { name: 'Take over 2 files' })
    .click()
  await expect.poll(() => readFile(join(workspace, 'a.txt'), 'utf8')).toBe(changes.second)
  expect(existsSync(join(workspace, 'first.txt'))).toBe(false)
})

test('a task is tried several times, compared while it works, taken over once, and the rest is dropped', async ({
  launch,
}) => {
  const scenario: Scenario = {
    name: 'tries',
    turns: [
      {
        prompt: /greet/,
        steps: [
          step('writes', call('write_file', { path: 'hello.txt', content: 'hello\nworld\n' })),
          step('waits', say('I check it. '), waitForGate('check')),
        ],
      },
    ],
  }
  const { page, workspace, endpoint } = await launch({
    ...repository({ 'a.txt': 'one\n' }),
    scenario,
    settings: { mode: 'yolo' },
  })
  await expect(page.getByRole('button', { name: /^Branch main/ })).toBeVisible()
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  await composer.fill('greet the world')
  // With the keyboard alone.
  await runPalette(page, 'Try several times')
  const form = page.getByRole('dialog', { name: 'Try a task several times' })
  const task = form.getByRole('textbox', { name: 'Task' })
  await expect(task).toBeFocused()
  await expect(task).toHaveValue('greet the world')
  await checkView(page, 'start of several tries')
  await form.getByRole('button', { name: 'Remove try 3' }).press('Enter')
  await form.getByRole('group', { name: 'Try 2' }).getByRole('textbox', { name: 'Temperature' }).fill('0.9')
  await form.getByRole('textbox', { name: /^Test command/ }).fill('test -f hello.txt')
  await form.getByRole('button', { name: 'Start 2 tries' }).press('Enter')

  const table = page.getByRole('dialog', { name: 'Tries of a task' })
  const line = (number: number) => table.getByRole('row', { name: new RegExp(`task-1-${number}`) })
  await expect(line(1)).toContainText('Working')
  await expect(line(2)).toContainText('Working')
  await expect(line(2)).toContainText('0.9')
  await expect(composer).toHaveValue('')
  await checkView(page, 'tries that work')
  endpoint?.release('check')
  for (const number of [1, 2]) {
    await expect(line(number)).toContainText('Done')
    await expect(line(number)).toContainText('Passed')
    await expect(line(number).getByRole('img', { name: '2 lines added, 0 removed' })).toBeVisible()
  }
  for (const number of [1, 2]) await line(number).getByRole('checkbox').press('Space')
  await table.getByRole('button', { name: 'Compare changes' }).press('Enter')
  const comparison = page.getByRole('dialog', { name: '"task-1-1" and "task-1-2"' })
  await expect(comparison.getByRole('region', { name: 'hello.txt', exact: true })).toContainText('Same change')
  await page.keyboard.press('Escape')
  await expect(table).toBeVisible()
  await line(2).getByRole('button', { name: 'Take this one…' }).press('Enter')
  await page
    .getByRole('dialog', { name: 'Take over from "task-1-2"' })
    .getByRole('button', { name: 'Take over 1 file' })
    .press('Enter')
  await expect(page.getByText('Took over 1 file of "task-1-2".')).toBeVisible()
  expect(await readFile(join(workspace, 'hello.txt'), 'utf8')).toBe('hello\nworld\n')
  const git = gitIn(workspace)
  await page.getByRole('button', { name: 'Drop the rest' }).click()
  const question = page.getByRole('dialog', { name: 'Remove 1 session of this task?' })
  await expect(question).toContainText('task-1-1')
  await expect(question).toContainText('kept for 30 days')
  await question.getByRole('button', { name: 'Remove 1 session' }).click()
  await expect(page.getByText('Removed 1 session of the task.')).toBeVisible()
  expect(await git('worktree', 'list')).not.toContain('task-1-1')
  expect(await git('for-each-ref', 'refs/tizona')).toContain('refs/tizona/kept/task-1-1-')

  await runPalette(page, 'Show sessions')
  const group = page.getByRole('region', { name: 'Task: greet the world' })
  await expect(group.getByRole('listitem')).toHaveCount(1)
  await group.getByRole('button', { name: 'Compare the tries of this task' }).click()
  await expect(line(2)).toContainText('Passed')
  await checkView(page, 'tries that have ended')
})

test(
  'merging, rebasing and taking over ask about protected files of a session first',
  onlyBrowser,
  async ({ launch }) => {
    const { page, workspace } = await launch(repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' }))
    const git = gitIn(workspace)
    await git('config', 'core.hooksPath', '.githooks')
    const worktree = await newSession(page, workspace, 'feature')
    await mkdir(join(worktree, '.githooks'))
    await writeFile(join(worktree, '.githooks', 'post-merge'), '#!/bin/sh\ntouch hook-ran\n', { mode: 0o755 })
    await writeFile(join(worktree, 'a.txt'), 'session\n')
    const inWorktree = gitIn(worktree)
    await inWorktree('add', '-A')
    await inWorktree('commit', '-qm', 'work')
    await openAgain(page, workspace)
    await writeFile(join(workspace, 'b.txt'), 'folder\n')
    await git('commit', '-qam', 'folder')

    await runPalette(page, 'Show sessions')
    const row = page.getByRole('complementary', { name: 'Sessions' }).getByRole('button', { name: /feature.*not open/ })
    const choose = async (name: string | RegExp) => {
      await row.click({ button: 'right' })
      await page.getByRole('menuitem', { name }).click()
    }
    const question = page.getByRole('dialog', { name: '"feature" changes 1 protected file' })
    for (const [name, label] of [
      ['Rebase onto main', 'Rebase them'],
      ['Merge branch into main', 'Merge them'],
    ] as const) {
      await choose(name)
      await expect(question).toContainText('.githooks/post-merge')
      await expect(question.getByRole('button', { name: label })).toBeVisible()
      await checkView(page, name)
      await page.keyboard.press('Escape')
      await expect(question).toHaveCount(0)
    }
    // Nothing has happened.
    expect(await git('log', '--format=%s', 'tizona/feature')).toBe('work\nBegin\n')
    expect(await git('log', '--format=%s', 'main')).toBe('folder\nBegin\n')

    await choose(/^Take over into this folder/)
    const dialog = page.getByRole('dialog', { name: 'Take over from "feature"' })
    await expect(dialog.getByRole('checkbox', { name: 'a.txt', exact: true })).toBeChecked()
    await expect(dialog.getByRole('checkbox', { name: '.githooks/post-merge', exact: true })).not.toBeChecked()
    await page.keyboard.press('Escape')

    await choose('Rebase onto main')
    await question.getByRole('button', { name: 'Rebase them' }).click()
    await expect(page.getByText('Rebased "feature" onto main.')).toBeVisible()
    await choose('Merge branch into main')
    await question.getByRole('button', { name: 'Merge them' }).click()
    await expect(page.getByText('Merged tizona/feature into main.')).toBeVisible()
    expect(await git('log', '--format=%s', 'main')).toBe('work\nfolder\nBegin\n')
    expect(existsSync(join(workspace, '.githooks', 'post-merge'))).toBe(true)
    expect(existsSync(join(workspace, 'hook-ran'))).toBe(false)
  },
)
