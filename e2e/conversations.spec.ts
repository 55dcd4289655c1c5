import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { answer, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { checkView } from './support/accessibility.ts'
import { expect, onlyBrowser, test } from './support/app.ts'
import { end, printedAddress } from './support/shell.ts'
import { lastAnswer, newConversation, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('conversations run at the same time, queue messages, and send an edited message again', async ({ launch }) => {
  const { page, endpoint } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.twoConversations })
  await test.step('two conversations run at the same time without mixing', async () => {
    await send(page, 'conversation one')
    await expect(lastAnswer(page)).toContainText('Begin one.')
    await newConversation(page)
    await expect(page.getByText('Begin one.')).toHaveCount(0)
    await send(page, 'conversation two')
    await expect(lastAnswer(page)).toContainText('Begin two.')
    endpoint?.release('one')
    endpoint?.release('two')
    await expect(lastAnswer(page)).toContainText('Begin two. End two.')
    await expect(page.getByText('End one.')).toHaveCount(0)
    await page.getByRole('button', { name: /Past conversations/ }).click()
    await page.getByRole('region', { name: 'Past conversations' }).getByText('conversation one').click()
    await expect(lastAnswer(page)).toContainText('Begin one. End one.')
  })

  await newConversation(page)
  await test.step('a message typed while a turn runs is queued, and sent after it', async () => {
    await send(page, 'conversation three')
    await expect(lastAnswer(page)).toContainText('Begin three.')
    await send(page, 'conversation four')
    await expect(page.getByRole('list', { name: 'Queued messages' })).toContainText('conversation four')
    endpoint?.release('three')
    await expect(lastAnswer(page)).toContainText('Begin four.')
    endpoint?.release('four')
    await expect(lastAnswer(page)).toContainText('End four.')
  })

  await test.step('an earlier message can be edited and sent again', async () => {
    endpoint?.release('five')
    const first = page.getByRole('article', { name: 'You' }).first()
    await first.hover()
    await first.getByRole('button', { name: 'Edit and send again' }).click()
    await page.getByRole('textbox', { name: 'Edited message' }).fill('conversation five')
    await page.getByRole('textbox', { name: 'Edited message' }).press('Enter')
    await expect(lastAnswer(page)).toContainText('End five.')
    await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
  })
})

test(
  'messages that a second window queues show in both, can be removed by either and are sent in order after it closed',
  onlyBrowser,
  async ({ launch, context }) => {
    const { page, endpoint, workspace } = await launch({
      files: { 'a.txt': 'a' },
      scenario: scenarios.twoConversations,
      ownProcess: true,
    })
    await send(page, 'conversation one')
    await expect(lastAnswer(page)).toContainText('Begin one.')
    const userData = join(dirname(workspace), 'user')
    const env = { ...process.env, HOME: userData, TIZONA_USER_DATA: userData, TIZONA_NO_DISCOVERY: '1' }
    const server = spawn(process.execPath, ['out/main/serve.js', workspace, '--no-open', '--port', '0'], {
      env: { ...env, TIZONA_ALLOW_ROOT: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    try {
      const second = await context.newPage()
      await second.goto(await printedAddress(server))
      await second.getByRole('button', { name: /Past conversations/ }).click()
      await second.getByRole('region', { name: 'Past conversations' }).getByText('conversation one').click()
      await expect(second.getByText('Messages that you send here wait')).toBeVisible()
      const queueIn = (where: Page) => where.getByRole('list', { name: 'Queued messages' }).getByRole('listitem')
      for (const [index, word] of ['two', 'three', 'four', 'five'].entries()) {
        await send(second, `conversation ${word}`)
        // Enter does nothing while a message is being sent.
        await expect(queueIn(second)).toHaveCount(index + 1)
      }
      const removeIn = (where: Page, word: string) =>
        queueIn(where)
          .filter({ hasText: `conversation ${word}` })
          .getByRole('button', { name: 'Remove from the queue' })
          .click()
      for (const where of [page, second]) await expect(queueIn(where)).toHaveCount(4)
      await removeIn(page, 'three')
      await expect(queueIn(second)).toHaveCount(3)
      await removeIn(second, 'four')
      for (const where of [page, second])
        await expect(queueIn(where)).toHaveText([/conversation two/, /conversation five/])
      endpoint?.release('one')
      await expect(lastAnswer(page)).toContainText('Begin two.')
      await expect(second.getByRole('article', { name: 'You' })).toHaveText([/conversation one/, /conversation two/])
      await second.close()
    } finally {
      await end(server)
    }
    endpoint?.release('two')
    endpoint?.release('five')
    await expect(lastAnswer(page)).toContainText('End five.')
    await expect(page.getByRole('article', { name: 'You' })).toHaveText([/ one/, / two/, / five/])
  },
)

const withCode: Scenario = {
  name: 'with-code',
  turns: [
    {
      prompt: /./,
      steps: [{ title: 'tell', play: () => answer(say('Use this:\n\n```ts\nexport const a = 1\n```\n\nIt works.')) }],
    },
  ],
}

test(
  'the context menu of the transcript copies messages and code and adds them to the message',
  onlyBrowser,
  async ({ launch }, info) => {
    const { page } = await launch({ files: { 'a.txt': 'a' }, scenario: withCode, settings: { theme: 'system' } })
    // Reading the clipboard needs a permission, so the test checks what is written to it.
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => document.body.setAttribute('data-copied', text)
    })
    const copied = page.locator('body')
    const menu = page.getByRole('menu', { name: 'Message actions' })
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await send(page, 'how?')
    await expect(lastAnswer(page)).toContainText('It works.')

    await lastAnswer(page).getByText('It works.').click({ button: 'right' })
    await expect(menu.getByRole('menuitem')).toHaveText([
      /^Copy(Ctrl\+C)?$/,
      'Copy message',
      'Copy conversation',
      'Add to message',
    ])
    await menu.getByRole('menuitem', { name: 'Copy message' }).click()
    await expect(copied).toHaveAttribute('data-copied', /^Use this:\n\n```ts\n/)

    // Answers are plain text without code blocks until the module that renders Markdown is loaded.
    await lastAnswer(page)
      .getByRole('figure', { name: 'Code, ts' })
      .getByText('export const a')
      .click({ button: 'right' })
    await checkView(page, 'context menu of a code block')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await info.attach(`context menu, ${colorScheme}`, {
        body: await page.screenshot(),
        contentType: 'image/png',
      })
    }
    await page.keyboard.press('c')
    await menu.getByRole('menuitem', { name: 'Copy code' }).click()
    await expect(copied).toHaveAttribute('data-copied', 'export const a = 1')

    const text = lastAnswer(page).getByText('It works.')
    await text.selectText()
    await text.click({ button: 'right', position: { x: 20, y: 8 } })
    await menu.getByRole('menuitem').first().click()
    await expect(copied).toHaveAttribute('data-copied', 'It works.')
    await text.click({ button: 'right', position: { x: 20, y: 8 } })
    await menu.getByRole('menuitem', { name: 'Add to message' }).click()
    await expect(message).toBeFocused()
    await expect(message).toHaveValue('> It works.\n\n')

    await page.getByRole('article', { name: 'You' }).click({ button: 'right' })
    await menu.getByRole('menuitem', { name: 'Copy conversation' }).click()
    await expect(copied).toHaveAttribute('data-copied', /how\?[\s\S]*It works\./)
  },
)

test('a spinner beside an answer is not painted with each frame, which the model would have to wait for', async ({
  launch,
}) => {
  const { page, endpoint } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.slowAnswer })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await send(page, 'slow middle')
  await expect(lastAnswer(page)).toContainText('I begin')
  const endless = () =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations === Infinity)
        .map(({ playState, currentTime }) => ({ playState, currentTime })),
    )
  const before = await endless()
  expect(new Set(before.map(({ playState }) => playState))).toEqual(new Set(['paused']))
  await expect.poll(async () => (await endless())[0]?.currentTime).not.toBe(before[0]?.currentTime)
  endpoint?.release('go')
  await expect(lastAnswer(page)).toContainText('I begin and I end.')
})
