import { access, chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, long, test } from './support/app.ts'
import {
  changed,
  commitWith,
  enterName,
  gitIn,
  gitMenu,
  identify,
  notice,
  pick,
  repository,
  showGit,
  writeIn,
} from './support/git.ts'
import { focusEditor, shownText, tab } from './support/window.ts'

test(
  'a folder becomes a repository; its first commit asks for a name and keeps its message until it has one',
  long,
  async ({ launch }) => {
    const { page, workspace } = await launch({ files: { 'a.txt': 'a\n', 'docs/b.txt': 'b\n' } })
    const git = gitIn(workspace)
    await page.keyboard.press('Control+Shift+g')
    await expect(page.getByText('No repository in this folder')).toBeVisible()
    await page.getByRole('button', { name: 'Initialize repository' }).click()
    await expect(changed(page, /^Changes 2 files/)).toBeVisible()
    // Otherwise git makes up an address from the names of the user and the machine.
    await git('config', 'user.useConfigOnly', 'true')

    await page.getByRole('button', { name: 'More commit actions' }).click()
    await expect(page.getByRole('menuitem', { name: 'Amend last commit' })).toBeDisabled()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show log' }).click()
    await expect(page.getByText('No commits', { exact: true })).toBeVisible()
    await changed(page, /^a.txt, Untracked/).click()
    await expect(tab(page, 'a.txt (working tree)')).toHaveAttribute('aria-selected', 'true')
    await expect.poll(() => shownText(page)).toBe('a\n')
    await gitMenu(page, 'Stash all changes…')
    await enterName(page, 'Stash all changes', '')
    await expect(notice(page, 'There is no commit to stash changes against.')).toContainText('Commit something first.')

    await commitWith(page, 'Begin')
    await page.getByRole('dialog').getByRole('button', { name: 'Stage all and commit' }).click()
    const identity = page.getByRole('dialog', { name: 'Set name and email' })
    await identity.getByRole('button', { name: 'Cancel' }).click()
    const refused = notice(page, 'Git does not know your name and email address')
    await expect(refused).toContainText('git config --global user.name')
    await expect(page.getByRole('textbox', { name: 'Commit message' })).toHaveValue('Begin')
    await expect(changed(page, /^Staged changes 2 files/)).toBeVisible()
    await page.getByRole('button', { name: 'Commit', exact: true }).click()
    await identity.getByRole('textbox', { name: 'Name' }).fill('Ada')
    await identity.getByRole('textbox', { name: 'Email address' }).fill('ada@example.org')
    await identity.getByRole('combobox', { name: 'Use for' }).selectOption('This repository')
    await identity.getByRole('button', { name: 'Set and continue' }).click()
    await expect(page.getByText('There are no changes.')).toBeVisible()
    expect(await git('log', '--format=%an: %s')).toBe('Ada: Begin\n')
    expect(await git('ls-files')).toBe('a.txt\ndocs/b.txt\n')
  },
)

test(
  'a hook that fails shows its output and can be skipped; a lock that was left behind is explained and removed',
  long,
  async ({ launch }) => {
    const { page, workspace } = await launch(
      repository({ 'a.txt': 'a\n' }, async (git, write, folder) => {
        await write('a.txt', 'changed\n')
        await write('b.txt', 'b\n')
        await git('add', 'a.txt')
        await writeIn(join(folder, '.git'))('hooks/pre-commit', '#!/bin/sh\necho "a.txt: use tabs" >&2\nexit 1\n')
        await git('config', 'core.hooksPath', '.git/hooks')
      }),
    )
    const git = gitIn(workspace)
    // Executable, as hooks are.
    await chmod(join(workspace, '.git/hooks/pre-commit'), 0o755)
    await showGit(page)
    await commitWith(page, 'Change it')
    const failed = notice(page, 'The commit was refused by a hook (pre-commit). Nothing was committed')
    await failed.getByRole('button', { name: 'Show details' }).click()
    await expect(page.getByRole('dialog', { name: 'Commit failed: Git output' })).toContainText('a.txt: use tabs')
    await page.keyboard.press('Escape')
    expect(await git('log', '--format=%s')).toBe('Begin\n')
    await expect(page.getByRole('textbox', { name: 'Commit message' })).toHaveValue('Change it')
    await failed.getByRole('button', { name: 'Commit without hooks' }).click()
    await expect(changed(page, /^a.txt/)).toHaveCount(0)
    expect(await git('log', '--format=%s')).toBe('Change it\nBegin\n')

    const lock = join(workspace, '.git/index.lock')
    await writeFile(lock, '')
    await changed(page, /^b.txt/).hover()
    await changed(page, /^b.txt/)
      .getByRole('button', { name: 'Stage changes' })
      .click()
    const locked = notice(page, 'one was interrupted and left its lock file behind')
    await locked.getByRole('button', { name: 'Check the lock' }).click()
    const question = page.getByRole('dialog', { name: 'Remove the lock file?' })
    await expect(question).toContainText(lock)
    await question.getByRole('button', { name: 'Remove lock file' }).click()
    await expect
      .poll(() =>
        access(lock)
          .then(() => true)
          .catch(() => false),
      )
      .toBe(false)
    await changed(page, /^b.txt/).hover()
    await changed(page, /^b.txt/)
      .getByRole('button', { name: 'Stage changes' })
      .click()
    await expect(changed(page, /^b.txt, Added/)).toBeVisible()
    expect(await git('status', '--porcelain')).toBe('A  b.txt\n')
  },
)

test(
  'several repositories, a worktree and a submodule of one folder are shown and committed each on its own',
  long,
  async ({ launch }) => {
    const { page, workspace, path } = await launch(
      repository({ 'a.txt': 'a\n' }, async (git, _write, folder) => {
        const inner = async (name: string) => {
          const nested = join(folder, name)
          await git('init', '-q', '-b', 'main', nested)
          await identify(gitIn(nested))
          await writeIn(nested)('inner.txt', 'one\n')
          await gitIn(nested)('add', '.')
          await gitIn(nested)('commit', '-q', '-m', 'Inner')
        }
        await inner('libs/inner')
        await inner('../source')
        await git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '../source', 'parts')
        await git('worktree', 'add', '-q', 'tree', '-b', 'side')
        await writeIn(folder)('.gitignore', 'libs/\ntree/\n')
        await git('add', '.')
        await git('commit', '-q', '-m', 'Add parts')
      }),
    )
    await showGit(page)
    const repositories = page.getByRole('radiogroup', { name: 'Repositories' })
    const radio = (name: RegExp) => repositories.getByRole('radio', { name })
    await expect(repositories.getByRole('radio')).toHaveText([
      /workspace.*main/,
      /inner.*main/,
      /parts.*main/,
      /tree.*side/,
    ])
    await expect(page.getByText('There are no changes.')).toBeVisible()

    await writeFile(path('tree/a.txt'), 'in the tree\n')
    await writeFile(path('libs/inner/inner.txt'), 'two\n')
    await writeFile(path('parts/inner.txt'), 'two\n')
    await expect(radio(/^inner/)).toContainText('1 changed')
    await expect(radio(/^tree/)).toContainText('1 changed')
    await expect(radio(/^parts/)).toContainText('1 changed')

    await radio(/^tree/).click()
    await expect(page.getByTestId('branch')).toHaveText('side*')
    await changed(page, /^a.txt, Modified/).click()
    await expect(page.getByRole('toolbar', { name: 'Changes' }).getByRole('status')).toHaveText(/1 of 1|^1 change/)
    await commitWith(page, 'In the tree')
    await page.getByRole('dialog').getByRole('button', { name: 'Stage all and commit' }).click()
    await expect(radio(/^tree/)).not.toContainText('changed')
    expect(await gitIn(workspace)('log', '-1', '--format=%s', 'side')).toBe('In the tree\n')
    expect(await gitIn(workspace)('log', '-1', '--format=%s', 'main')).toBe('Add parts\n')

    await radio(/^parts/).click()
    await identify(gitIn(path('parts')))
    await commitWith(page, 'In the part')
    await page.getByRole('dialog').getByRole('button', { name: 'Stage all and commit' }).click()
    await expect(page.getByText('There are no changes.')).toBeVisible()
    await radio(/^workspace/).click()
    await changed(page, /^parts, /).click()
    await changed(page, /^parts, /).hover()
    await changed(page, /^parts, /)
      .getByRole('button', { name: 'Stage changes' })
      .click()
    await commitWith(page, 'Use the new part')
    await expect(page.getByText('There are no changes.')).toBeVisible()
    const part = (await gitIn(path('parts'))('rev-parse', 'HEAD')).trim()
    expect(await gitIn(workspace)('ls-tree', 'HEAD', 'parts')).toBe(`160000 commit ${part}\tparts\n`)

    // Only switching to the branch of another worktree is impossible, and its row says why.
    await gitMenu(page, 'Switch branch…')
    const side = page.getByRole('listbox', { name: 'Switch branch' }).getByRole('option', { name: /^side/ })
    await expect(side).toHaveAttribute('aria-disabled', 'true')
    await expect(side).toContainText(`Checked out in the worktree ${path('tree')}`)
    await page.keyboard.press('Escape')
    await gitMenu(page, 'Compare with branch…')
    await pick(page, 'Compare with branch', /^side/)
    const comparison = page.getByRole('region', { name: 'Comparison' })
    await expect(comparison).toContainText('In the tree')
    await comparison.getByRole('option', { name: /a.txt/ }).click()
    await expect(page.locator('.monaco-diff-editor .modified')).toContainText('in the tree')
    await showGit(page)
    await gitMenu(page, 'Merge branch…')
    await pick(page, 'Merge branch', /^side/)
    await expect.poll(() => readFile(path('a.txt'), 'utf8')).toBe('in the tree\n')

    // The change of a file in a nested repository is that of the nested one.
    await radio(/^inner/).click()
    await changed(page, /^inner.txt, Modified/).hover()
    await changed(page, /^inner.txt/)
      .getByRole('button', { name: 'Open file' })
      .click()
    await expect(tab(page, 'inner.txt')).toHaveAttribute('aria-selected', 'true')
    await focusEditor(page)
    await page.keyboard.press('Alt+F3')
    await expect(page.getByRole('region', { name: 'Change 1 of 1' })).toContainText('one')
    expect(await readFile(path('libs/inner/inner.txt'), 'utf8')).toBe('two\n')
  },
)
