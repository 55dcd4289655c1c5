import { answer, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'
// Declares `window.tizona` as well.
import type { PreloadBridge } from '../../src/renderer/platform/bridge/electronTransport.ts'
import { expect, test } from '../support/app.ts'
import { lastAnswer, openFile, send } from '../support/window.ts'

const links: Scenario = {
  name: 'links',
  turns: [
    {
      prompt: /links/,
      steps: [
        {
          title: 'links',
          play: () =>
            answer(
              say(
                '[Docs](https://example.org/docs?q=a%20b) [Script](javascript:alert(1)) [Local](file:///etc/passwd) [Mail](mailto:a@example.org)',
              ),
            ),
        },
      ],
    },
  ],
}

test("a web link in an answer or a file opens in the user's browser; other schemes are refused", async ({ launch }) => {
  const { page, desktop } = await launch({ files: { 'a.txt': 'https://example.org/in-a-file\n' }, scenario: links })
  if (desktop === undefined) throw new Error('This story needs the desktop harness.')
  await send(page, 'links')
  const found = lastAnswer(page).getByRole('link')
  await expect(found).toHaveText(['Docs'])
  await found.click()
  await expect
    .poll(() => desktop.effects())
    .toContainEqual({ kind: 'openExternal', url: 'https://example.org/docs?q=a%20b' })

  await openFile(page, 'a.txt')
  // Monaco renders the link again when Ctrl is pressed, so a click with Ctrl would hit a removed element.
  await page.locator('.detected-link').hover()
  await page.keyboard.down('Control')
  await expect(page.locator('.detected-link-active')).toBeVisible()
  await page.mouse.down()
  await page.mouse.up()
  await page.keyboard.up('Control')
  await expect
    .poll(() => desktop.effects())
    .toContainEqual({ kind: 'openExternal', url: 'https://example.org/in-a-file' })

  const refused = await page.evaluate(
    (urls) =>
      Promise.all(
        urls.map(
          (url, index) =>
            new Promise((resolve) => {
              const id = 1_000_000 + index
              const bridge: PreloadBridge | undefined = window.tizona
              bridge?.onMessage((message) => {
                if (message.kind === 'response' && message.id === id)
                  resolve(message.ok ? 'opened' : message.error.code)
              })
              bridge?.post({ kind: 'request', id, method: 'app.openExternal', params: { url } })
            }),
        ),
      ),
    ['file:///etc/passwd', 'javascript:alert(1)', 'mailto:a@example.org', 'app://tizona/index.html', 'no address'],
  )
  expect(refused).toEqual(Array.from({ length: 5 }, () => 'invalid_arguments'))
  // A middle click would open a window of the application.
  await found.click({ button: 'middle' })
  await expect.poll(() => page.context().pages()).toHaveLength(1)
  expect((await desktop.effects()).filter(({ kind }) => kind === 'openExternal')).toHaveLength(2)
  expect((await desktop.windows())[0]?.url).toBe('app://tizona/index.html')
})
