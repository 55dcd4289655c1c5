import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './support/app.ts'
import {
  addRemote,
  changed,
  colleague,
  commitWith,
  enterName,
  gitIn,
  gitMenu,
  identify,
  notice,
  pick,
  repository,
  serveRepositories,
  showGit,
  writeIn,
} from './support/git.ts'

test('a branch is published; a refused push is explained, the branch is rebased, and commits and tags are synced', async ({
  launch,
}) => {
  const { page, workspace, path } = await launch(
    repository({ 'a.txt': 'a\n' }, async (git, _write, folder) => addRemote(git, folder)),
  )
  const git = gitIn(workspace)
  const remote = gitIn(join(workspace, '../remote.git'))
  const published = () => remote('log', '--format=%s', 'main').catch(() => '')
  await showGit(page)
  await page.getByRole('button', { name: 'Publish branch', exact: true }).click()
  await expect.poll(published).toBe('Begin\n')
  await expect(page.getByRole('button', { name: /^0↓ 0↑.*Sync with origin\/main/ })).toBeVisible()

  const bo = await colleague(workspace)
  await bo.commit('b.txt', 'b\n')
  await writeFile(path('a.txt'), 'mine\n')
  await expect(changed(page, /^a.txt, Modified/)).toBeVisible()
  await commitWith(page, 'Mine')
  const question = page.getByRole('dialog', { name: 'Nothing is staged. Commit all changes?' })
  await expect(question).toContainText('1 changed file will be staged and committed.')
  await question.getByRole('button', { name: 'Stage all and commit' }).click()
  await expect(page.getByRole('button', { name: 'Sync changes 1↑' })).toBeVisible()

  await gitMenu(page, 'Push')
  const refused = notice(page, 'The push failed. The remote branch has commits that are not here.')
  await expect(refused).toContainText('Pull first, then push again.')
  await refused.getByRole('button', { name: 'Show details' }).click()
  const details = page.getByRole('dialog', { name: 'Push failed: Git output' })
  await expect(details).toContainText('[rejected]')
  await details.getByRole('button', { name: 'Close' }).last().click()
  expect(await published()).toBe('Bo changes b.txt\nBegin\n')
  expect(await git('log', '--format=%s')).toBe('Mine\nBegin\n')

  // The notice is still there: its details did not close it.
  await refused.getByRole('button', { name: 'Pull' }).click()
  const diverged = notice(page, 'The pull failed. Both your branch and the remote branch have new commits.')
  await diverged.getByRole('button', { name: 'Rebase' }).click()
  await expect.poll(() => git('log', '--format=%s')).toBe('Mine\nBo changes b.txt\nBegin\n')
  await page.getByRole('button', { name: /^0↓ 1↑: 0 commits to pull, 1 to push/ }).click()
  await expect.poll(published).toBe('Mine\nBo changes b.txt\nBegin\n')

  await bo.commit('b.txt', 'b again\n')
  await gitMenu(page, 'Fetch')
  await page.getByRole('button', { name: 'Sync changes 1↓' }).click()
  await expect.poll(() => readFile(path('b.txt'), 'utf8')).toBe('b again\n')
  expect(await git('status', '--porcelain=v2', '--branch')).toContain('# branch.ab +0 -0\n')

  await gitMenu(page, 'Create tag…')
  const prompt = page.getByRole('dialog', { name: 'Create tag' })
  await prompt.getByRole('textbox').fill('1 0')
  await expect(prompt.getByRole('alert')).toContainText('cannot contain spaces')
  await enterName(page, 'Create tag', 'v1.0')
  await expect.poll(() => git('tag')).toBe('v1.0\n')
  await gitMenu(page, 'Push with tags')
  await expect.poll(() => remote('tag')).toBe('v1.0\n')
  await gitMenu(page, 'Delete tag…')
  await pick(page, 'Delete tag', /^v1.0/)
  await expect.poll(() => git('tag')).toBe('')
  await notice(page, 'Deleted tag v1.0.').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => git('tag')).toBe('v1.0\n')
})

test('a server asks for a password in a dialog: a wrong one and none are explained, and the right one clones and pushes', async ({
  launch,
}) => {
  let server: Awaited<ReturnType<typeof serveRepositories>> | undefined
  try {
    const { page, workspace } = await launch({
      noFolder: true,
      async prepare(folder) {
        const served = join(folder, '../served')
        await mkdir(served)
        await gitIn(served)('init', '-q', '--bare', '-b', 'main', 'harbour.git')
        const git = gitIn(folder)
        await git('init', '-q', '-b', 'main')
        await identify(git)
        await writeIn(folder)('a.txt', 'served\n')
        await git('add', '.')
        await git('commit', '-q', '-m', 'Begin')
        await git('push', '-q', join(served, 'harbour.git'), 'main')
        server = await serveRepositories(served, { user: 'ada', password: 'tide & moon' })
      },
    })
    const url = `${server?.url}/harbour.git`
    const host = new URL(url).host
    const answer = async (title: string, text: string) => {
      const dialog = page.getByRole('dialog', { name: `${title} for ${host}` })
      await dialog.getByRole('textbox', { name: title }).fill(text)
      await page.keyboard.press('Enter')
      await expect(dialog).toHaveCount(0)
    }
    await page.getByRole('button', { name: /^Clone repository/ }).click()
    const form = page.getByRole('dialog', { name: 'Clone repository' })
    const clone = form.getByRole('button', { name: 'Clone', exact: true })
    await form.getByLabel('Repository address').fill(url)
    await form.getByLabel('Create it in').fill('~/code')
    await clone.click()
    await expect(form.getByRole('alert')).toContainText('"~/code" is not the full path of a folder.')
    // The dialog has its styles on the welcome page, too, where the source control view is not loaded.
    await expect(form.getByRole('alert')).toHaveCSS('display', 'flex')
    await form.getByLabel('Create it in').fill(join(workspace, '..'))
    await clone.click()
    await answer('User name', 'ada')
    await answer('Password', 'tide')
    await expect(form.getByRole('alert')).toContainText('did not accept the user name, password or key')
    await form.getByRole('alert').getByRole('button', { name: 'Show details' }).click()
    await expect(page.getByRole('dialog', { name: 'Git output' })).toContainText('Authentication failed')
    await page.keyboard.press('Escape')
    await clone.click()
    await answer('User name', 'ada')
    await answer('Password', 'tide & moon')
    await expect(page.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()
    const folder = join(workspace, '../harbour')
    const git = gitIn(folder)
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('served\n')
    expect(await git('config', 'remote.origin.url')).toBe(`${url}\n`)

    // A clone is a new folder, whose remotes are used once it is trusted.
    await identify(git)
    await git('commit', '-q', '--allow-empty', '-m', 'Mine')
    await showGit(page)
    await page.getByRole('button', { name: 'Sync changes 1↑' }).click()
    await notice(page, 'disabled in a restricted folder').getByRole('button', { name: 'Review folder' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Trust/ })
      .click()
    await gitMenu(page, 'Push')
    await page
      .getByRole('dialog', { name: `User name for ${host}` })
      .getByRole('button', { name: 'Cancel' })
      .click()
    const cancelled = notice(page, 'The server needs a user name and password, and none were entered')
    await cancelled.getByRole('button', { name: 'Try again' }).click()
    await answer('User name', 'ada')
    await answer('Password', 'tide & moon')
    const served = gitIn(join(workspace, '../served/harbour.git'))
    await expect.poll(() => served('log', '--format=%s', 'main')).toBe('Mine\nBegin\n')
    await expect(page.getByRole('button', { name: /^0↓ 0↑/ })).toBeVisible()
  } finally {
    await server?.close()
  }
})
