import { readFile, writeFile } from 'node:fs/promises'
import { expect, long, test } from './support/app.ts'
import { changed, commitWith, gitIn, gitMenu, notice, pick, repository, showGit } from './support/git.ts'
import { focusEditor, openFile, runPalette, shownText } from './support/window.ts'

const lines = (change: Record<number, string> = {}): string =>
  Array.from({ length: 30 }, (_, index) => change[index] ?? `line ${index}`).join('\n') + '\n'

test(
  'a commit is signed off and amended; the log is searched, two commits are compared, and a file has a history and blame',
  long,
  async ({ launch }) => {
    const { page, workspace, path } = await launch(
      repository({ 'a.txt': lines(), 'docs/old.md': '# Tides\n\nThe moon.\n' }, async (git, write) => {
        await git('mv', 'docs/old.md', 'docs/new.md')
        await git('-c', 'user.name=Zoë', 'commit', '-qm', 'Rename the notes')
        await write('a.txt', lines({ 3: 'third' }))
        await git('commit', '-qam', 'Change the third line')
        await write('a.txt', lines({ 3: 'third', 20: 'twentieth' }))
      }),
    )
    const git = gitIn(workspace)
    const message = () => git('log', '-1', '--format=%B')
    await showGit(page)
    await changed(page, /^a.txt/).hover()
    await changed(page, /^a.txt/)
      .getByRole('button', { name: 'Stage changes' })
      .click()
    await expect(changed(page, /^Staged changes 1 file/)).toBeVisible()
    await page.getByRole('button', { name: 'More commit actions' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Add Signed-off-by' }).click()
    await commitWith(page, 'Change another')
    await expect(page.getByText('There are no changes.')).toBeVisible()
    expect(await message()).toBe('Change another\n\nSigned-off-by: Ada <ada@example.org>\n\n')

    await writeFile(path('b.txt'), 'forgotten\n')
    await changed(page, /^b.txt, Untracked/).hover()
    await changed(page, /^b.txt/)
      .getByRole('button', { name: 'Stage changes' })
      .click()
    await expect(changed(page, /^b.txt, Added/)).toBeVisible()
    await page.getByRole('textbox', { name: 'Commit message' }).fill('Change the twentieth line')
    await page.getByRole('button', { name: 'More commit actions' }).click()
    await page.getByRole('menuitem', { name: 'Amend last commit' }).click()
    await expect(page.getByText('There are no changes.')).toBeVisible()
    expect(await message()).toBe('Change the twentieth line\n\nSigned-off-by: Ada <ada@example.org>\n\n')
    expect(await git('show', '--format=', '--name-only', 'HEAD')).toBe('a.txt\nb.txt\n')
    expect(await git('rev-list', '--count', 'HEAD')).toBe('4\n')

    await page.getByRole('button', { name: 'Show log' }).click()
    const commits = page.getByRole('listbox', { name: 'Commits' }).getByRole('option')
    await expect(commits).toHaveCount(4)
    await page.getByRole('searchbox', { name: 'Author' }).fill('zoë')
    await expect(commits).toHaveText([/Rename the notes/])
    await page.getByRole('searchbox', { name: 'Author' }).fill('')
    await page.getByRole('searchbox', { name: 'Message or hash' }).fill('LINE')
    await expect(commits).toHaveText([/twentieth line/, /third line/])
    await page.getByRole('searchbox', { name: 'Message or hash' }).fill('')
    await expect(commits).toHaveCount(4)
    await commits.filter({ hasText: 'twentieth line' }).click()
    await expect(page.getByRole('region', { name: 'Commit' })).toContainText('Signed-off-by: Ada')
    await commits.filter({ hasText: 'Begin' }).click({ modifiers: ['Control'] })
    const comparison = page.getByRole('region', { name: 'Comparison' })
    await expect(comparison).toContainText(/From \w{8} Begin\s*to \w{8} Change the twentieth line/)
    await expect(comparison.getByRole('option')).toHaveText([/a.txt.*\+2.*−2/, /b.txt.*\+1/, /new.md/])
    await comparison.getByRole('option', { name: /^a.txt/ }).click()
    await expect(page.getByRole('tab', { name: /^a.txt \(\w{8} ↔ \w{8}\)/ })).toHaveAttribute('aria-selected', 'true')
    await expect.poll(() => shownText(page)).toContain('twentieth')

    await runPalette(page, 'File: Close tab')
    await openFile(page, 'docs/new.md')
    await runPalette(page, 'Git: Show history of active file')
    await expect(page.getByRole('heading', { name: 'File history: docs/new.md' })).toBeVisible()
    await expect(commits).toHaveText([/Rename the notes/, /Begin/])

    await openFile(page, 'a.txt')
    await runPalette(page, 'Git: Toggle blame of current line')
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await expect.poll(() => shownText(page)).toMatch(/line 0\s+Ada, .* • Begin/)
    for (let line = 0; line < 3; line++) await page.keyboard.press('ArrowDown')
    await expect.poll(() => shownText(page)).toMatch(/third\s+Ada, .* • Change the third line/)
    await page.keyboard.type('x')
    await expect.poll(() => shownText(page)).toMatch(/xthird\s+Not committed yet/)
  },
)

test(
  'selected lines are discarded from a diff and return; a gutter change reverts as one undo step; a conflict is edited by hand',
  long,
  async ({ launch }) => {
    const { page, workspace, path } = await launch(
      repository({ 'a.txt': lines(), 'b.txt': 'b\n' }, async (git, write) => {
        await git('switch', '-q', '-c', 'other')
        await write('b.txt', 'theirs\n')
        await git('commit', '-qam', 'Theirs')
        await git('switch', '-q', 'main')
        await write('b.txt', 'ours\n')
        await git('commit', '-qam', 'Ours')
        await write('a.txt', lines({ 3: 'one', 4: 'two', 20: 'three' }))
      }),
    )
    const git = gitIn(workspace)
    const read = (name: string) => readFile(path(name), 'utf8').catch(() => '')
    await showGit(page)
    await changed(page, /^a.txt/).click()
    const bar = page.getByRole('toolbar', { name: 'Changes' })
    await expect(bar.getByRole('status')).toHaveText('2 changes')
    await bar.getByRole('button', { name: 'Next change' }).click()
    await expect(bar.getByRole('status')).toHaveText('Change 1 of 2')
    await page.keyboard.press('Shift+End')
    await bar.getByRole('button', { name: 'Discard selected lines…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => read('a.txt')).toBe(lines({ 4: 'two', 20: 'three' }))
    await notice(page, 'Discarded changes in a.txt.').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => read('a.txt')).toBe(lines({ 3: 'one', 4: 'two', 20: 'three' }))

    await runPalette(page, 'File: Close tab')
    await openFile(page, 'a.txt')
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Alt+F3')
    const peek = page.getByRole('region', { name: 'Change 1 of 2' })
    await expect(peek).toContainText('line 4')
    await expect(peek.getByRole('button').first()).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(peek).toHaveCount(0)
    await runPalette(page, 'Git: Revert change at cursor')
    await expect.poll(() => shownText(page)).toContain('line 2\nline 3\nline 4\nline 5')
    await focusEditor(page)
    await page.keyboard.press('Control+z')
    await expect.poll(() => shownText(page)).toContain('line 2\none\ntwo\nline 5')
    expect(await read('a.txt')).toBe(lines({ 3: 'one', 4: 'two', 20: 'three' }))

    await gitMenu(page, 'Merge branch…')
    await pick(page, 'Merge branch', /^other/)
    await changed(page, /^b.txt, Conflict/).click()
    const conflicts = page.getByRole('toolbar', { name: 'Conflicts' })
    await expect(conflicts.getByRole('status')).toHaveText('1 conflict')
    // With markers left, the file is not marked as resolved without a question.
    await conflicts.getByRole('button', { name: 'Mark as resolved' }).click()
    const question = page.getByRole('dialog', { name: 'Mark as resolved with conflict markers?' })
    await expect(question).toContainText('b.txt')
    await question.getByRole('button', { name: 'Cancel' }).click()
    const result = page.getByRole('region', { name: 'Result' }).getByRole('textbox', { name: 'Result' })
    await result.focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('by hand')
    await page.keyboard.press('Enter')
    await expect(conflicts.getByRole('status')).toHaveText('No conflicts left')
    await conflicts.getByRole('button', { name: 'Mark as resolved' }).click()
    await expect(page.getByText('The conflict is resolved')).toBeVisible()
    expect(await read('b.txt')).toBe('by hand\n')
    expect(await git('show', ':b.txt')).toBe('by hand\n')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(() => git('log', '-1', '--format=%s')).toBe("Merge branch 'other'\n")
    expect(await git('diff', '--name-only')).toBe('a.txt\n')
  },
)
