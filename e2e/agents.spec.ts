import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './support/app.ts'
import { checkView } from './support/accessibility.ts'
import { allowOnce, approval, cardIs, lastAnswer, send } from './support/window.ts'

const script = join(process.cwd(), 'src/main/acp/testing/scriptedAgent.ts')

test('an external agent is added, chosen and approved, and its changes are reviewed', async ({ launch }) => {
  const { page, path } = await launch({ files: { 'a.txt': 'one\n' }, settings: { mode: 'safe' } })
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  const section = page.getByRole('region', { name: 'External agents' })
  await section.getByRole('button', { name: 'Add agent' }).click()
  const form = section.getByRole('form', { name: 'New agent' })
  await form.getByRole('button', { name: 'Add' }).click()
  await expect(form.getByRole('alert')).toHaveText('Enter a name.')
  await form.getByLabel('Name').fill('Scripted')
  await expect(form.getByRole('alert')).toHaveCount(0)
  await form.getByLabel('Command').fill(process.execPath)
  await form.getByLabel('Arguments').fill(script)
  await form.getByLabel('Run in the sandbox, with network').uncheck()
  await checkView(page, 'the form of an agent')
  await form.getByRole('button', { name: 'Add' }).click()
  await expect(section.getByTestId('agent')).toContainText('Not sandboxed')
  // The page does not scroll to its start, where the focus was before.
  await expect(section.getByTestId('agent')).toBeInViewport()

  await page.getByRole('button', { name: 'Agent: Tizona' }).click()
  await page.getByRole('option', { name: /^Scripted/ }).click()
  await expect(page.getByRole('button', { name: 'Agent: Scripted' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Model:/ })).toHaveCount(0)
  await expect(page.getByTestId('chat')).toContainText('Scripted works in this folder with its own model.')

  await send(page, `write ${path('b.txt')}`)
  await expect(await approval(page)).toContainText('b.txt')
  await allowOnce(page)
  await cardIs(page, 'edit', 'done')
  await expect(lastAnswer(page)).toContainText('Written.')
  expect(await readFile(path('b.txt'), 'utf8')).toBe('from the agent\n')

  // Changes by the agent's own process are reviewed too.
  await send(page, `own ${path('a.txt')}`)
  await expect(lastAnswer(page)).toContainText('Done by myself.')
  await expect(page.getByTestId('turn-review').last()).toContainText('1 file')

  await send(page, 'ask npm publish')
  const question = await approval(page)
  await expect(question).toContainText('npm publish')
  await expect(question).toContainText('Scripted runs it itself')
  await expect(question).toContainText('Unknown folder')
  await expect(question.getByRole('button', { name: 'Edit command' })).toHaveCount(0)
  await question.getByRole('button', { name: 'Refuse' }).click()
  await expect(lastAnswer(page)).toContainText('Answer: no')
  await expect(page.getByTestId('tool-card').last()).toContainText('npm publish')

  // The whole command is on the card, also if the agent sends only a long title, and so is what else it sends.
  const long = `echo ${'x'.repeat(400)}; rm -rf important`
  await send(page, `request ${JSON.stringify([{ kind: 'execute', title: long }])}`)
  const unclear = await approval(page)
  await expect(unclear.getByTestId('approval-command')).toHaveText(long)
  await expect(unclear).toContainText('It is not clear what the command does')
  await unclear.getByRole('button', { name: 'Refuse' }).click()
  const permissions = { command: 'ls', cwd: '.', permissions: { network: true } }
  await send(page, `request ${JSON.stringify([{ kind: 'execute', title: 'ls', rawInput: permissions }])}`)
  const extended = await approval(page)
  await expect(extended.getByRole('region', { name: 'Arguments' })).toContainText('"network": true')
  await checkView(page, 'an approval with what an agent sent beside a command')
  await extended.getByRole('button', { name: 'Refuse' }).click()
  await expect(lastAnswer(page)).toContainText('Answer: no')

  await send(page, 'die')
  await expect(page.getByText('It exited with code 3.')).toBeVisible()
})
