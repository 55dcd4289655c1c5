import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Page, WebSocketRoute } from '@playwright/test'
import { expect, onlyBrowser, test } from './support/app.ts'
import {
  allowOnce,
  approval,
  cardIs,
  focusEditor,
  lastAnswer,
  openFile,
  send,
  shownText,
  tab,
} from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('a reload in the middle of a turn restores tabs, conversation, the running turn and the pending approval', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' }, scenario: scenarios.approvalReload })
  const { page } = app
  await openFile(page, 'a.txt')
  await send(page, 'write the proof')
  await approval(page)
  await app.reload()
  await expect(tab(page, 'a.txt')).toBeVisible()
  await expect(page.getByText('I need to write the proof.')).toBeVisible()
  await expect((await approval(page)).getByTestId('approval-command')).toContainText('proof.txt')
  expect(existsSync(app.path('proof.txt'))).toBe(false)
  await allowOnce(page)
  await cardIs(page, 'run_command', 'done')
  await expect(lastAnswer(page)).toContainText('The command was approved.')
  expect(await readFile(app.path('proof.txt'), 'utf8')).toBe('approved\n')
})

test(
  'a dropped connection is restored automatically, with the answer that streamed meanwhile',
  onlyBrowser,
  async ({ launch, context }) => {
    const { page, endpoint } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.slowAnswer })
    await send(page, 'slow middle')
    await expect(lastAnswer(page)).toContainText('I begin')
    await context.setOffline(true)
    await page.evaluate(() => window.dispatchEvent(new Event('offline')))
    endpoint?.release('go')
    await context.setOffline(false)
    await expect(lastAnswer(page)).toContainText('I begin and I end.')
  },
)

test(
  'a page that reconnects after another page was opened keeps its hands off the text of the other page',
  onlyBrowser,
  async ({ launch, context }, info) => {
    const app = await launch({ files: { 'a.txt': 'alpha\n' } })
    const { page } = app
    let online = true
    const sockets: WebSocketRoute[] = []
    await page.routeWebSocket(/\/bridge$/, (socket) => {
      if (!online) return socket.close()
      socket.connectToServer()
      sockets.push(socket)
      return undefined
    })
    await app.reload()
    const type = async (on: Page, text: string) => {
      await focusEditor(on)
      await on.keyboard.press('Control+End')
      await on.keyboard.type(text)
    }
    await openFile(page, 'a.txt')
    await type(page, 'first')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    // The text reaches Tizona before the connection drops.
    await page.waitForTimeout(500)
    online = false
    for (const socket of sockets) await socket.close()
    await expect(page.getByText('The connection to Tizona was lost.')).toBeVisible()
    await type(page, ' offline')

    const other = await context.newPage()
    const session = await page.evaluate(() => Object.entries(sessionStorage))
    await other.addInitScript((items) => {
      for (const [name, value] of items) sessionStorage.setItem(name, String(value))
    }, session)
    await other.goto(new URL('/', page.url()).href)
    await tab(other, 'a.txt').click()
    await expect.poll(() => shownText(other)).toBe('alpha\nfirst')
    await type(other, ' second')
    online = true
    await expect(page.getByText('Tizona is open in another window')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Unsaved text of this window' })).toContainText('a.txt')
    await info.attach('detached', { body: await page.screenshot(), contentType: 'image/png' })
    // The other page is still connected, and its text is what a reload restores.
    await other.reload()
    await expect.poll(() => shownText(other)).toBe('alpha\nfirst second')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Use here' }).click()
    await expect.poll(() => shownText(page)).toBe('alpha\nfirst second')
    await other.close()
  },
)

test('a reload keeps the widths of panels, the search and unsaved text', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n', 'b.txt': 'needle\n', 'c.txt': 'Needle\n' } })
  const { page } = app
  await test.step('side panels keep their width in pixels when the window or another panel changes size', async () => {
    const width = async (name: string) =>
      Math.round((await page.getByRole('complementary', { name }).boundingBox())?.width ?? 0)
    const drag = async (name: string, by: number) => {
      const box = await page.getByRole('separator', { name }).boundingBox()
      if (!box) throw new Error(`There is no separator "${name}".`)
      await page.mouse.move(box.x + box.width / 2, box.y + 200)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width / 2 + by, box.y + 200, { steps: 5 })
      await page.mouse.up()
    }
    await drag('Resize side bar', 60)
    await drag('Resize chat panel', 30)
    const [side, chat] = [await width('Explorer'), await width('Chat')]
    const kept = () => expect.poll(async () => [await width('Explorer'), await width('Chat')])
    await page.setViewportSize({ width: 1800, height: 900 })
    await kept().toEqual([side, chat])
    await page.keyboard.press('Control+Alt+b')
    await expect(page.getByRole('complementary', { name: 'Chat' })).toHaveCount(0)
    await expect.poll(() => width('Explorer')).toBe(side)
    await page.setViewportSize({ width: 1400, height: 900 })
    await page.keyboard.press('Control+Alt+b')
    await kept().toEqual([side, chat])
    await app.reload()
    await kept().toEqual([side, chat])
  })

  await test.step('the search is restored after a reload', async () => {
    await page.keyboard.press('Control+Shift+f')
    await page.locator('#search-query').fill('Needle')
    await page.getByRole('button', { name: 'Match case' }).click()
    await expect(page.getByText('1 match in 1 file')).toBeVisible()
    await app.reload()
    await expect(page.locator('#search-query')).toHaveValue('Needle')
    await expect(page.getByText('1 match in 1 file')).toBeVisible()
  })

  await test.step('unsaved text and a message that is being written survive a reload', async () => {
    page.on('dialog', (dialog) => void dialog.accept())
    await openFile(page, 'a.txt')
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('typed')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('Half a question')
    await app.reload()
    await expect(message).toHaveValue('Half a question')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    await expect.poll(() => shownText(page)).toContain('alpha\ntyped')
    expect(await readFile(app.path('a.txt'), 'utf8')).toBe('alpha\n')
  })
})
