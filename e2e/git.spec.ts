import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkView } from './support/accessibility.ts'
import { expect, onlyBrowser, test } from './support/app.ts'
import { changed, gitIn, repository, showGit } from './support/git.ts'
import { layoutProblems } from './support/layout.ts'
import { scenarios } from './scenarios/index.ts'
import { openFile, send, shownText, tab } from './support/window.ts'

const lines = (change: Record<number, string> = {}): string =>
  Array.from({ length: 30 }, (_, index) => change[index] ?? `line ${index}`).join('\n') + '\n'

test('a change is staged in the diff and committed, and the log shows the commit with its file', async ({ launch }) => {
  const { page, workspace } = await launch(
    repository({ 'a.txt': lines(), 'b.txt': 'b\n' }, async (_git, write) => {
      await write('a.txt', lines({ 3: 'first change', 20: 'second change' }))
    }),
  )
  await showGit(page)
  await changed(page, /^a.txt, Modified/).click()
  const bar = page.getByRole('toolbar', { name: 'Changes' })
  await expect(bar.getByRole('status')).toHaveText('2 changes')
  await bar.getByRole('button', { name: 'Next change' }).click()
  await bar.getByRole('button', { name: 'Stage change' }).click()
  await expect(changed(page, /^Staged changes 1 file/)).toBeVisible()
  await expect(bar.getByRole('status')).toHaveText('1 change')

  await page.getByRole('textbox', { name: 'Commit message' }).fill('Change a line')
  await page.keyboard.press('Control+Enter')
  await expect(changed(page, /^Staged changes/)).toHaveCount(0)
  await expect(changed(page, /^a.txt, Modified/)).toBeVisible()
  const git = gitIn(workspace)
  expect(await git('log', '--format=%s')).toBe('Change a line\nBegin\n')
  expect(await git('show', 'HEAD:a.txt')).toBe(lines({ 3: 'first change' }))

  await page.getByRole('button', { name: 'Show log' }).click()
  await page.getByRole('option', { name: /Change a line/ }).click()
  await page
    .getByRole('listbox', { name: 'Changed files' })
    .getByRole('option', { name: /^a.txt/ })
    .click()
  await expect(page.locator('.monaco-diff-editor')).toContainText('first change')
})

test('changes are marked, staged and reverted in the editor, discarded and restored; a branch is created', async ({
  launch,
}) => {
  const { page, path, workspace } = await launch(
    repository({ 'a.txt': lines(), 'b.txt': 'b\n' }, async (_git, write) => {
      await write('a.txt', lines({ 3: 'changed', 20: 'line 20\nadded' }))
      await write('b.txt', 'changed\n')
      await write('new.txt', 'new\n')
    }),
  )
  await test.step('changed lines are marked in the editor, and the peek stages and reverts a change', async () => {
    await expect(page.getByRole('treeitem', { name: 'a.txt' })).toHaveAttribute('aria-description', 'Modified')
    await openFile(page, 'a.txt')
    await expect(page.locator('.git-gutter-changed')).toHaveCount(1)
    await expect(page.locator('.git-gutter-added')).toHaveCount(1)
    await page.locator('.git-gutter-changed').click()
    const peek = page.getByRole('region', { name: 'Change 1 of 2' })
    await expect(peek).toContainText('line 3')
    await page.keyboard.press('Escape')
    await expect(peek, 'Escape in the text closes the change').toBeHidden()
    await page.locator('.git-gutter-changed').click()
    await peek.getByRole('button', { name: 'Revert change' }).click()
    await expect(page.locator('.git-gutter-changed')).toHaveCount(0)
    await expect.poll(() => shownText(page)).toContain('line 2\nline 3\nline 4')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    await page.keyboard.press('Alt+F3')
    await page.getByRole('region', { name: 'Change 1 of 1' }).getByRole('button', { name: 'Stage change' }).click()
    await expect.poll(() => gitIn(workspace)('diff', '--cached', '--numstat')).toBe('1\t0\ta.txt\n')
  })

  await test.step('discarding asks first and can be undone; a new branch is created from the status bar', async () => {
    await showGit(page)
    await changed(page, /^Changes 3 files/).hover()
    await page.getByRole('button', { name: 'Discard all changes…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('1 untracked file will be deleted')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await changed(page, /^b.txt/).hover()
    await changed(page, /^b.txt/)
      .getByRole('button', { name: 'Discard changes…' })
      .click()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    // git deletes a file before it writes it again.
    const text = () => readFile(path('b.txt'), 'utf8').catch(() => '')
    await expect.poll(text).toBe('b\n')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(text).toBe('changed\n')

    await page.getByRole('button', { name: /^Branch main/ }).click()
    await page.getByRole('option', { name: 'Create branch…' }).click()
    await dialog.getByRole('textbox').fill('not a name')
    await expect(dialog.getByRole('alert')).toContainText('cannot contain spaces')
    await dialog.getByRole('textbox').fill('feature/one')
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('branch')).toHaveText('feature/one*')
    await page.getByRole('button', { name: /^Branch feature\/one/ }).click()
    await page.getByRole('option', { name: /^main/ }).click()
    await expect(page.getByTestId('branch')).toHaveText('main*')
  })
})

test('a conflict is resolved in the conflict editor, and the merge is completed', async ({ launch }) => {
  const { page, path, workspace } = await launch(
    repository({ 'a.txt': lines() }, async (git, write) => {
      await git('switch', '-q', '-c', 'other')
      await write('a.txt', lines({ 3: 'theirs', 20: 'their end' }))
      await git('commit', '-qam', 'Theirs')
      await git('switch', '-q', 'main')
      await write('a.txt', lines({ 3: 'ours', 20: 'our end' }))
      await git('commit', '-qam', 'Ours')
      await git('merge', 'other').catch(() => undefined)
    }),
  )
  await showGit(page)
  await changed(page, /^a.txt, Conflict/).click()
  const conflicts = page.getByRole('toolbar', { name: 'Conflicts' })
  await expect(conflicts.getByRole('status')).toHaveText('2 conflicts')
  await page.getByRole('group', { name: 'Conflict 1' }).getByRole('button', { name: 'Accept both' }).click()
  await expect(conflicts.getByRole('status')).toHaveText('1 conflict')
  await conflicts.getByRole('button', { name: 'Accept all theirs' }).click()
  await expect(conflicts.getByRole('status')).toHaveText('No conflicts left')
  await conflicts.getByRole('button', { name: 'Mark as resolved' }).click()
  await expect(page.getByText('The conflict is resolved')).toBeVisible()
  expect(await readFile(path('a.txt'), 'utf8')).toBe(lines({ 3: 'ours\ntheirs', 20: 'their end' }))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('There are no changes.')).toBeVisible()
  expect(await gitIn(workspace)('log', '--format=%s', '-1')).toBe("Merge branch 'other'\n")
})

test('kept changes are committed with a drafted message; a conflict that was resolved by deleting returns, and is aborted', async ({
  launch,
}) => {
  const { page, workspace } = await launch({
    ...repository({ 'README.md': '# Harbour\n', 'old.md': 'Old notes.\n', 'kept.md': 'one\n' }, async (git, write) => {
      await git('switch', '-q', '-c', 'other')
      await git('rm', '-q', 'kept.md')
      await git('commit', '-qm', 'Remove it')
      await git('switch', '-q', 'main')
      await write('kept.md', 'two\n')
      await git('commit', '-qam', 'Change it')
    }),
    scenario: scenarios.reviewedEdits,
    settings: { mode: 'yolo' },
  })
  const git = gitIn(workspace)
  await send(page, 'Tidy up')
  await page.getByTestId('turn-review').getByRole('button', { name: 'Review' }).click()
  await expect(page.getByRole('tree', { name: 'Changed files' }).getByRole('treeitem')).toHaveCount(3)
  await page.getByRole('button', { name: 'Keep all and commit…' }).click()
  await expect(page.getByRole('textbox', { name: 'Commit message' })).toHaveValue('Tidy the notes')
  await page.getByRole('button', { name: 'Commit', exact: true }).click()
  await expect.poll(() => git('log', '-1', '--format=%s')).toBe('Tidy the notes\n')

  await git('rebase', 'other').catch(() => undefined)
  await changed(page, /^kept.md, Conflict/).click()
  await page.getByRole('button', { name: 'Delete file' }).click()
  await expect(page.getByText('The conflict is resolved')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(changed(page, /^kept.md, Conflict/)).toBeVisible()
  await page.getByRole('button', { name: 'Abort…' }).click()
  await page.getByRole('button', { name: 'Abort rebase' }).click()
  await expect(page.getByText('There are no changes.')).toBeVisible()
  expect(await git('log', '-1', '--format=%s')).toBe('Tidy the notes\n')
})

test('a repository is cloned from the welcome page and opened; a wrong address is explained', async ({ launch }) => {
  const app = await launch({
    ...repository({ 'a.txt': 'cloned\n' }),
    noFolder: true,
  })
  const { page, workspace } = app
  await page.getByRole('button', { name: /^Clone repository/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Repository address').fill(join(workspace, 'missing.git'))
  await dialog.getByLabel('Create it in').fill(join(workspace, '..'))
  await dialog.getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Repository address').fill(workspace)
  await dialog.getByLabel('Folder name').fill('copy')
  await dialog.getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(page.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()
  await expect(page.getByTestId('branch')).toHaveText('main')
  expect(await readFile(join(workspace, '..', 'copy', 'a.txt'), 'utf8')).toBe('cloned\n')
})

test('no view of git breaks WCAG 2.2 AA or cuts controls off', onlyBrowser, async ({ launch }) => {
  test.setTimeout(240_000)
  const { page } = await launch(
    repository(
      { 'a.txt': lines(), 'b.txt': 'b\n', 'docs/a long name of a file in a folder.md': 'c\n' },
      async (git, write) => {
        await git('switch', '-q', '-c', 'other')
        await write('b.txt', 'theirs\n')
        await git('commit', '-qam', 'Theirs')
        await git('switch', '-q', 'main')
        await write('b.txt', 'ours\n')
        await git('commit', '-qam', 'Ours')
        await write('a.txt', lines({ 3: 'changed' }))
        await git('merge', 'other').catch(() => undefined)
        await write('docs/a long name of a file in a folder.md', 'changed\n')
      },
    ),
  )
  await showGit(page)
  await changed(page, /^a.txt/).click()
  await expect(page.getByRole('toolbar', { name: 'Changes' })).toBeVisible()
  await checkView(page, 'source control and diff')
  await changed(page, /^b.txt, Conflict/).click()
  await expect(page.getByRole('toolbar', { name: 'Conflicts' })).toBeVisible()
  await checkView(page, 'conflict editor')
  await page.getByRole('button', { name: 'Show log' }).click()
  await page.getByRole('option', { name: /Ours/ }).click()
  await expect(page.getByRole('listbox', { name: 'Changed files' })).toBeVisible()
  await checkView(page, 'log')
  await page.setViewportSize({ width: 720, height: 560 })
  expect(await layoutProblems(page)).toEqual([])
  await page.keyboard.press('F1')
  await page.getByRole('combobox').fill('Clone repository')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await checkView(page, 'clone dialog')
})

test('a commit whose hook hangs can be cancelled after a reload', async ({ launch }) => {
  const { page, workspace, reload } = await launch(
    repository({ 'a.txt': 'a\n' }, async (git, write) => {
      await write('a.txt', 'changed\n')
      await git('add', 'a.txt')
      const hooks = join((await git('rev-parse', '--show-toplevel')).trim(), '.git/hooks')
      await mkdir(hooks, { recursive: true })
      await writeFile(join(hooks, 'pre-commit'), '#!/bin/sh\necho checking >&2\nsleep 60\n', { mode: 0o755 })
    }),
  )
  await showGit(page)
  await page.getByRole('textbox', { name: 'Commit message' }).fill('Change it')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Committing: checking')).toBeVisible()
  await reload()
  await expect(page.getByText('Committing…')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await expect(page.getByText('Committing…')).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'Commit message' })).toHaveValue('Change it')
  expect(await gitIn(workspace)('log', '--format=%s')).toBe('Begin\n')
})
