import { seededRandom } from '../src/main/testing/longForm.ts'
import { busyTurn, fileProblems, filesOf, original, processesWith } from '../src/main/testing/faults/killedHost.ts'
import { expect, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'

const long = process.env['TIZONA_TEST_LONG'] === '1'
/** Number of kills per host. src/main/testing/faults kills hosts that have no window. */
const kills = long ? 20 : 1
/** Milliseconds after the message within which the turn is killed. */
const longest = 3_000

const random = seededRandom()
for (const moment of Array.from({ length: kills }, (_, index) => Math.round(((index + random()) / kills) * longest))) {
  test(`a window restores its conversation if its process is killed ${moment} ms after a message`, async ({
    launch,
  }) => {
    test.skip(process.platform !== 'linux', 'processes are listed in /proc')
    const mark = `700.${process.pid}${moment}`
    const app = await launch({
      files: { ...original },
      scenario: busyTurn(mark),
      settings: { mode: 'yolo' },
      ownProcess: true,
    })
    await send(app.page, 'go')
    // Shown once it is stored. A message that has not reached the process yet is lost with it.
    const message = () => app.page.getByRole('article', { name: 'You' })
    await expect(message()).toContainText('go')
    await app.page.waitForTimeout(moment)
    await app.restart('SIGKILL')
    // A temporary file of the killed write is deleted soon after the folder opens.
    await expect.poll(async () => fileProblems(await filesOf(app.workspace)), { timeout: 30_000 }).toEqual([])
    await expect(message()).toContainText('go')
    await send(app.page, 'next')
    await expect(lastAnswer(app.page)).toContainText('Fine.')
    await expect.poll(() => processesWith(mark), { timeout: 30_000 }).toEqual([])
  })
}
