import type { Page } from '@playwright/test'
import { seededRandom } from '../src/main/testing/longForm.ts'
import { busyTurn, fileProblems, filesOf, original, processesWith } from '../src/main/testing/faults/killedHost.ts'
import { expect, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'

const long = process.env['TIZONA_TEST_LONG'] === '1'
/** Kills of each host. The headless and the browser host without a window: src/main/testing/faults. */
const kills = long ? 20 : 1
/** Milliseconds after the message within which the turn is killed. */
const longest = 3_000

/** Shows the conversation, from the list if the process was killed before it saved which one was open. */
async function showConversation(page: Page): Promise<void> {
  const message = page.getByRole('article', { name: 'You' })
  const empty = page.getByRole('heading', { name: 'What do you want to work on?' })
  await expect(message.or(empty).first()).toBeVisible()
  if (await empty.isVisible()) {
    await page.getByRole('button', { name: /Past conversations/ }).click()
    await page.getByRole('region', { name: 'Past conversations' }).getByText('go', { exact: true }).click()
  }
  await expect(message).toContainText('go')
}

const random = seededRandom()
for (const moment of Array.from({ length: kills }, (_, index) => Math.round(((index + random()) / kills) * longest))) {
  test(`a window whose process is killed ${moment} ms after a message opens its conversation again`, async ({
    launch,
  }) => {
    test.skip(process.platform !== 'linux', 'processes are listed in /proc')
    const mark = `700.${process.pid}${moment}`
    const app = await launch({ files: { ...original }, scenario: busyTurn(mark), settings: { mode: 'yolo' } })
    await send(app.page, 'go')
    await app.page.waitForTimeout(moment)
    await app.restart('SIGKILL')
    expect(fileProblems(await filesOf(app.workspace))).toEqual([])
    await showConversation(app.page)
    await send(app.page, 'next')
    await expect(lastAnswer(app.page)).toContainText('Fine.')
    await expect.poll(() => processesWith(mark), { timeout: 30_000 }).toEqual([])
  })
}
