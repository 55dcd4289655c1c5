import { existsSync } from 'node:fs'
import { expect, test } from './support/app.ts'
import { checkView } from './support/accessibility.ts'
import { allowOnce, approval, card, cardIs, lastAnswer, send, unfold } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'
import { skipWithoutSandbox } from './support/sandbox.ts'

const options = { files: { 'a.txt': 'hola\n', 'b.txt': 'b\n' }, scenario: scenarios.runCommand }
const deny = { decision: 'deny', match: 'prefix', pattern: 'touch', folder: null } as const

test('read-only commands run without approval, and a card explains which command of a line needs it', async ({
  launch,
}) => {
  const app = await launch(options)
  const { page } = app
  await send(page, 'run: cat a.txt | wc -l')
  const ran = await unfold(page, 'run_command')
  await expect(ran.getByTestId('command-allowed')).toContainText('It runs only read-only commands')

  await send(page, 'run: cat a.txt && touch made.txt')
  const rows = (await approval(page)).getByRole('list', { name: 'Rules for each command' }).getByRole('listitem')
  await expect(rows).toHaveText([/cat a\.txt.*built-in rule cat/, /touch made\.txt.*No read-only rule covers touch/])
  expect(await rows.evaluateAll((all) => all.map((row) => row.dataset['verdict']))).toEqual(['allow', 'ask'])
  await allowOnce(page)
  await expect.poll(() => existsSync(app.path('made.txt'))).toBe(true)
})

test('a rule added in the settings is explained there, applies to the next command, and can be removed', async ({
  launch,
}) => {
  const app = await launch(options)
  const { page } = app
  await page.keyboard.press('Control+,')
  const rules = page.getByRole('group', { name: 'Command rules' })
  await rules.getByRole('button', { name: 'Add rule' }).click()
  const form = rules.getByRole('form', { name: 'New rule' })
  await form.getByLabel('Match').selectOption('Argument form')
  await form.getByLabel('Command').fill('touch <path>')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(rules.getByRole('list', { name: 'Your rules' })).toContainText('touch <path>')

  const check = rules.getByRole('form', { name: 'Check a command' })
  await check.getByLabel('Check a command').fill('touch made.txt && touch ../out.txt')
  await check.getByRole('button', { name: 'Explain' }).click()
  await expect(check.getByRole('status')).toContainText('Needs your approval.')
  await expect(check.getByRole('listitem').first()).toContainText('The rule "Allow touch <path>" allows it.')
  await checkView(page, 'approval rules')

  await send(page, 'run: touch made.txt')
  await cardIs(page, 'run_command', 'done')
  expect(existsSync(app.path('made.txt'))).toBe(true)
  await rules.getByRole('button', { name: 'Remove the rule for touch <path>' }).click()
  await expect(rules).toContainText('You have no rules yet.')
  await send(page, 'run: touch other.txt')
  await approval(page)
})

test('a rule that denies wins over one that allows, in yolo mode and behind another program', async ({ launch }) => {
  const rules = [{ ...deny, decision: 'allow' as const }, deny]
  const app = await launch({
    ...options,
    settings: { mode: 'yolo', approval: { rules, notify: true, protectedPaths: '', secretPaths: '' } },
  })
  await send(app.page, 'run: echo first; env A=1 touch made.txt')
  await cardIs(app.page, 'run_command', 'refused')
  await expect(lastAnswer(app.page)).toContainText('The rule "Deny touch …" denies the command')
  expect(existsSync(app.path('made.txt'))).toBe(false)
})

test('cautious mode runs a test command in the sandbox without approval, and requires approval for network', async ({
  launch,
}) => {
  skipWithoutSandbox()
  const files = { 'sum.test.mjs': "import test from 'node:test'\ntest('adds', () => {})\n" }
  const { page } = await launch({ ...options, files, settings: { mode: 'cautious' } })
  await send(page, 'run: node --test')
  const ran = await unfold(page, 'run_command')
  await expect(lastAnswer(page)).toContainText('pass 1')
  await expect(ran.getByTestId('sandbox-line')).toHaveText('Sandboxed, without network access')
  await expect(ran.getByTestId('command-allowed')).toContainText('In a trusted folder')

  await send(page, 'run: npm install left-pad')
  await expect(await approval(page)).toContainText('It runs a command with network')
  await expect(card(page, 'run_command')).toHaveAttribute('data-state', 'approval')
})

test('a notification shows that an approval waits while the window is not in front, and a click focuses its card', async ({
  launch,
}) => {
  const app = await launch(options)
  const { page, desktop } = app
  if (desktop === undefined) {
    // Chromium without a screen shows no notifications, so the page gets a stand-in that records them.
    await page.evaluate(() => {
      class Shown extends EventTarget {
        static permission = 'granted'
        static all: { title: string; body: string; click(): void }[] = []
        constructor(title: string, { body }: { body: string }) {
          super()
          Shown.all.push({ title, body, click: () => this.dispatchEvent(new Event('click')) })
        }
        close(): void {}
      }
      Object.assign(window, { Notification: Shown })
      document.hasFocus = () => false
    })
  } else await desktop.changeWindow({ minimized: true })
  await send(page, 'run: touch made.txt')
  await approval(page)
  await page.getByRole('textbox', { name: 'Message', exact: true }).focus()

  const expected = { title: 'Approval needed: Run command', body: 'touch made.txt' }
  if (desktop === undefined) {
    const shown = () => page.evaluate(() => (window.Notification as unknown as { all: object[] }).all)
    await expect.poll(shown).toMatchObject([expected])
    await page.evaluate(() => (window.Notification as unknown as { all: { click(): void }[] }).all.at(0)?.click())
  } else {
    const shown = async () => (await desktop.effects()).filter(({ kind }) => kind === 'notification')
    await expect.poll(shown).toMatchObject([expected])
    const [notification] = await shown()
    if (notification?.kind === 'notification') await desktop.clickNotification(notification.id)
  }
  await expect(page.getByTestId('approval-card')).toBeFocused()
})
