import { readFile } from 'node:fs/promises'
import { expect, long, test } from './support/app.ts'
import { changed, commitWith, enterName, gitIn, gitMenu, notice, pick, repository, showGit } from './support/git.ts'
import { runPalette } from './support/window.ts'

test(
  'changes are stashed, applied and dropped, and a switch that would overwrite changes can stash them',
  long,
  async ({ launch }) => {
    const { page, workspace, path } = await launch(
      repository({ 'a.txt': 'a\n' }, async (git, write) => {
        await git('switch', '-q', '-c', 'other')
        await write('a.txt', 'other\n')
        await git('commit', '-qam', 'Other')
        await git('switch', '-q', 'main')
        await write('a.txt', 'changed\n')
        await write('new.txt', 'new\n')
      }),
    )
    const git = gitIn(workspace)
    const read = (name: string) => readFile(path(name), 'utf8').catch(() => null)
    // The command fails while the last stash is being dropped; its result then equals no expectation.
    const stashes = () =>
      git('stash', 'list', '--format=%s').then(
        (list) => list.split('\n').slice(0, -1),
        () => null,
      )
    await showGit(page)
    await gitMenu(page, 'Stash all changes…')
    await enterName(page, 'Stash all changes', 'Half done')
    await expect(page.getByText('There are no changes.')).toBeVisible()
    expect([await read('a.txt'), await read('new.txt')]).toEqual(['a\n', null])

    await gitMenu(page, 'Stashes… (1)')
    await pick(page, 'Stashes', /^Half done on main/)
    await pick(page, 'Half done', /^Apply/)
    await expect(changed(page, /^Changes 2 files/)).toBeVisible()
    expect([await read('a.txt'), await read('new.txt')]).toEqual(['changed\n', 'new\n'])
    expect(await stashes()).toEqual(['On main: Half done'])

    await gitMenu(page, 'Stashes… (1)')
    await pick(page, 'Stashes', /^Half done/)
    await pick(page, 'Half done', /^Drop/)
    await page.getByRole('dialog').getByRole('button', { name: 'Drop stash' }).click()
    await notice(page, 'Dropped the stash.').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(stashes).toEqual(['On main: Half done'])
    await gitMenu(page, 'Stashes… (1)')
    await pick(page, 'Stashes', /^Half done/)
    await pick(page, 'Half done', /^Drop/)
    await page.getByRole('dialog').getByRole('button', { name: 'Drop stash' }).click()
    await expect.poll(stashes).toEqual([])

    await page.getByRole('button', { name: /^Branch main/ }).click()
    await pick(page, 'Switch branch', /^other/)
    const refused = notice(page, 'Your changes would be overwritten. Nothing was changed.')
    expect(await read('a.txt')).toBe('changed\n')
    await refused.getByRole('button', { name: 'Stash and switch' }).click()
    await expect(page.getByTestId('branch')).toHaveText('other')
    expect(await read('a.txt')).toBe('other\n')
    expect(await stashes()).toEqual(['On main: Before switching to other'])
    await gitMenu(page, 'Stashes… (1)')
    await pick(page, 'Stashes', /^Before switching/)
    await pick(page, 'Before switching to other', /^Pop/)
    await expect(changed(page, /^a.txt, Conflict/)).toBeVisible()
    // The stash stays until its conflict is resolved.
    expect(await stashes()).toHaveLength(1)
    expect(await read('a.txt')).toContain('<<<<<<<')
    await expect(notice(page, 'Some files changed on both sides')).toBeVisible()
  },
)

test('branches are renamed and deleted, each with undo; commits of a detached HEAD get a branch before they are lost', async ({
  launch,
}) => {
  const { page, workspace } = await launch(
    repository({ 'a.txt': 'a\n' }, async (git, write) => {
      await git('switch', '-q', '-c', 'topic')
      await write('a.txt', 'topic\n')
      await git('commit', '-qam', 'Topic')
      await git('switch', '-q', 'main')
    }),
  )
  const git = gitIn(workspace)
  const branches = async () => (await git('branch', '--format=%(refname:short)')).split('\n').filter(Boolean)
  await showGit(page)
  await gitMenu(page, 'Rename branch…')
  const prompt = page.getByRole('dialog', { name: 'Rename branch' })
  await expect(prompt.getByRole('textbox', { name: 'New name for main' })).toHaveValue('main')
  await prompt.getByRole('textbox').fill('topic')
  await expect(prompt.getByRole('alert')).toHaveText('A branch named topic already exists.')
  await enterName(page, 'Rename branch', 'trunk')
  await expect(page.getByTestId('branch')).toHaveText('trunk')
  expect(await branches()).toEqual(['topic', 'trunk'])
  await notice(page, 'Renamed branch main to trunk.').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByTestId('branch')).toHaveText('main')

  await gitMenu(page, 'Delete branch…')
  await pick(page, 'Delete branch', /^topic/)
  await notice(page, 'The branch has commits that no other branch contains').getByRole('button').first().click()
  await page.getByRole('dialog', { name: 'Delete topic with its commits?' }).getByRole('button').last().click()
  await expect.poll(branches).toEqual(['main'])
  await notice(page, 'Deleted branch topic.').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(branches).toEqual(['main', 'topic'])
  expect(await git('log', '-1', '--format=%s', 'topic')).toBe('Topic\n')

  await page.getByRole('button', { name: 'Show log' }).click()
  await page.getByRole('option', { name: /Topic/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Check out this commit' }).click()
  const start = (await git('rev-parse', '--short=8', 'topic')).trim()
  await expect(page.getByTestId('branch')).toHaveText(start)
  await expect(page.getByRole('button', { name: `Detached HEAD at ${start}. Switch branch.` })).toBeVisible()
  await showGit(page)
  await expect(page.getByRole('textbox', { name: 'Commit message' })).toHaveAttribute('placeholder', /detached HEAD/)
  await git('rm', '-q', 'a.txt')
  await expect(changed(page, /^a.txt, Deleted/)).toBeVisible()
  await commitWith(page, 'Without a branch')
  await expect(page.getByText('There are no changes.')).toBeVisible()
  const lost = (await git('rev-parse', 'HEAD')).trim()
  await runPalette(page, 'Git: Switch branch')
  await pick(page, 'Switch branch', /^main/)
  await expect(page.getByTestId('branch')).toHaveText('main')
  const left = notice(page, '1 commit is not on any branch.')
  await expect(left).toContainText(lost.slice(0, 8))
  await left.getByRole('button', { name: 'Create branch…' }).click()
  await enterName(page, 'Create branch', 'found')
  await expect(page.getByTestId('branch')).toHaveText('found')
  expect((await git('rev-parse', 'found')).trim()).toBe(lost)
})
