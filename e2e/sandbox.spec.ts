import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, test } from './support/app.ts'
import { allowOnce, approval, cardIs, lastAnswer, newConversation, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'
import { skipWithoutSandbox } from './support/sandbox.ts'

const options = { files: { 'a.txt': 'a\n' }, scenario: scenarios.runCommand }

test.beforeEach(skipWithoutSandbox)

test('a sandboxed command is denied network, and runs again with it after approval', async ({ launch }) => {
  const server = createServer((_, response) => response.end('from outside')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const app = await launch(options)
  const command = `python3 -c "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:${port}').read().decode())"`

  await send(app.page, `run: ${command}`)
  const first = await approval(app.page)
  await expect(first.getByTestId('sandbox-line')).toHaveText('Sandboxed, without network access')
  const firstId = await first.getAttribute('data-request')
  await allowOnce(app.page)

  const second = app.page.locator(`[data-testid="approval-card"]:not([data-request="${firstId}"])`)
  await expect(second).toContainText('cannot reach servers on this machine')
  await expect(second.getByTestId('sandbox-line')).toHaveText('Sandboxed, with network access')
  await expect(second.getByRole('button', { name: 'This exact command' })).toHaveCount(0)
  await allowOnce(app.page)
  await cardIs(app.page, 'run_command', 'done')
  await expect(lastAnswer(app.page)).toContainText('from outside')
  server.close()
})

test('a sandboxed command is kept to the workspace, and reads a secret that was approved', async ({ launch }) => {
  const app = await launch({ ...options, files: { '.env': 'KEY=from-env\n' } })
  await test.step('a command that writes outside the workspace is not offered a second run', async () => {
    await send(app.page, 'run: touch /usr/made-by-a-command')
    const first = await approval(app.page)
    const firstId = await first.getAttribute('data-request')
    await allowOnce(app.page)
    const second = app.page.locator(`[data-testid="approval-card"]:not([data-request="${firstId}"])`)
    await expect(second.getByTestId('sandbox-line')).toHaveText('Not sandboxed: allowed for this run')
    await second.getByRole('button', { name: 'Refuse' }).click()
    await cardIs(app.page, 'run_command', 'done')
    await expect(lastAnswer(app.page)).toContainText('only in the workspace')
    expect(existsSync('/usr/made-by-a-command')).toBe(false)
  })

  await newConversation(app.page)
  await test.step('a command reads an approved secret, and its card lists created files that can run code later', async () => {
    await send(app.page, 'run: cat .env && mkdir -p sub/.github/workflows && touch sub/.github/workflows/x.yml')
    await expect((await approval(app.page)).getByTestId('sandbox-line')).toHaveText(
      'Sandboxed, without network access. Readable secret files: .env',
    )
    await allowOnce(app.page)
    await cardIs(app.page, 'run_command', 'done')
    await expect(lastAnswer(app.page)).toContainText('KEY=from-env')
    await expect(lastAnswer(app.page)).toContainText(
      'This command created sub/.github/workflows/x.yml. Review it, because it can run code later.',
    )
  })
})
