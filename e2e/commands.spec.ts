import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { allowOnce, approval, card, cardIs, lastAnswer, newConversation, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

const options = { files: { 'a.txt': 'a\n' }, scenario: scenarios.runCommand }

test('a command runs after it is approved, and its output shows', async ({ launch }) => {
  const app = await launch(options)
  await send(app.page, 'run: echo ran > proof.txt && echo written')
  const question = await approval(app.page)
  await expect(question.getByTestId('approval-command')).toHaveText('echo ran > proof.txt && echo written')
  expect(existsSync(app.path('proof.txt'))).toBe(false)
  await allowOnce(app.page)
  await cardIs(app.page, 'run_command', 'done')
  await expect(lastAnswer(app.page)).toContainText('written')
  expect(await readFile(app.path('proof.txt'), 'utf8')).toBe('ran\n')
})

test('the approval of a command decides what runs: refused, edited, remembered, cancelled, answered', async ({
  launch,
}) => {
  const { page, path } = await launch(options)
  const ran = () => cardIs(page, 'run_command', 'done')

  await test.step('a refused command does not run, and the model reads the reason', async () => {
    await send(page, 'run: touch proof.txt')
    const question = await approval(page)
    await question.getByRole('textbox', { name: 'Reason for refusing' }).fill('the build folder is not yours')
    await question.getByRole('button', { name: 'Refuse' }).click()
    await cardIs(page, 'run_command', 'refused')
    await expect(lastAnswer(page)).toContainText('the build folder is not yours')
    expect(existsSync(path('proof.txt'))).toBe(false)
  })

  await newConversation(page)
  await test.step('an edited command runs as edited, and the model receives the command that ran', async () => {
    await send(page, 'run: touch wrong.txt')
    const question = await approval(page)
    await question.getByRole('button', { name: 'Edit command' }).click()
    await question.getByRole('textbox', { name: 'Edited command' }).fill('touch right.txt && echo done')
    await question.getByRole('button', { name: 'Allow edited' }).click()
    await ran()
    await expect(lastAnswer(page)).toContainText('touch right.txt && echo done')
    expect([existsSync(path('wrong.txt')), existsSync(path('right.txt'))]).toEqual([false, true])
  })

  await newConversation(page)
  await test.step('cancelling a running command ends its child processes too', async () => {
    // Process ids in the sandbox differ from those of the machine, so the processes are found by an unusual argument.
    const seconds = `300.${process.pid}${Date.now() % 1000}`
    await send(page, `run: sleep ${seconds} & sleep ${seconds}`)
    await allowOnce(page)
    await expect.poll(() => sleeping(seconds)).toBe(2)
    await page.getByRole('button', { name: 'Stop', exact: true }).last().click()
    await cardIs(page, 'run_command', 'cancelled')
    await expect.poll(() => sleeping(seconds)).toBe(0)
  })

  await newConversation(page)
  await test.step('a command that waits for input can be answered in its card', async () => {
    await send(page, 'run: read -p "Name? " name; echo "Hello $name"')
    await allowOnce(page)
    await expect(lastAnswer(page)).toContainText('waiting_for_input')
    const found = card(page, 'run_command')
    const fold = found.locator('.tool-card-toggle')
    if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click()
    await found.locator('.xterm-helper-textarea').focus()
    await page.keyboard.type('Ada\n')
    await expect(found.locator('.xterm-rows')).toContainText('Hello Ada')
  })

  await newConversation(page)
  await test.step('an exact command and a prefix are remembered for the session, and nothing else is', async () => {
    await send(page, 'run: git status')
    await (await approval(page)).getByRole('button', { name: /^All commands that start with/ }).click()
    await ran()
    await send(page, 'run: git status --short')
    await expect(page.getByTestId('tool-card')).toHaveCount(2)
    await ran()
    await send(page, 'run: git status --short > stolen.txt')
    await (await approval(page)).getByRole('button', { name: 'Refuse' }).click()
    expect(existsSync(path('stolen.txt'))).toBe(false)
  })

  await newConversation(page)
  await test.step('control characters in a command are made visible', async () => {
    await send(page, 'run: echo safe\u202e; rm -rf x')
    await expect((await approval(page)).getByTestId('approval-command')).not.toContainText('\u202e')
  })
})

/** Number of processes `sleep SECONDS`. */
function sleeping(seconds: string): number {
  const lines = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.trim() === `sleep ${seconds}`).length
}
