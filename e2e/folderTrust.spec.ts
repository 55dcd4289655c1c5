import { join } from 'node:path'
import { expect, test } from './support/app.ts'
import { scenarios } from './scenarios/index.ts'
import { allowOnce, cardIs, lastAnswer, send } from './support/window.ts'

const fixture = join(process.cwd(), 'src/main/mcp/testing/fixtureServer.ts')
const files = {
  'AGENTS.md': 'Use tabs.',
  '.tizona/commands/fix.md': 'Fix it.',
  '.mcp.json': JSON.stringify({ mcpServers: { tools: { command: process.execPath, args: [fixture, 'plain'] } } }),
  'a.txt': 'one\n',
}

const options = { files, scenario: scenarios.runCommand, trust: false, settings: { mode: 'safe' as const } }

test('a new folder is restricted: no command runs, and the dialog lists what trust turns on; after that a command runs', async ({
  launch,
}) => {
  const { page } = await launch(options)
  const banner = page.getByRole('region', { name: 'Folder trust' })
  await expect(banner).toContainText('This folder is restricted')
  await send(page, 'run: echo hola')
  await cardIs(page, 'run_command', 'failed')
  await expect(lastAnswer(page)).toContainText('the user has not trusted this folder')

  await banner.getByRole('button', { name: 'Review…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Trust this folder?' })
  const list = dialog.getByRole('region', { name: 'Enabled in a trusted folder' })
  for (const name of [
    'Agent commands',
    'Language servers',
    'AGENTS.md',
    '.tizona/commands/fix.md',
    'tools',
    'fixtureServer.ts',
  ])
    await expect(list).toContainText(name)
  await dialog.getByRole('button', { name: 'Trust folder' }).click()

  await expect(banner).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Restricted/ })).toHaveCount(0)
  await expect(page.getByText('.mcp.json defines the MCP server "tools"')).toBeVisible()
  await send(page, 'run: touch hola.txt')
  await allowOnce(page)
  await cardIs(page, 'run_command', 'done')
})

test('a restricted folder confirms a terminal, stays restricted after a restart, and can be trusted later', async ({
  launch,
}) => {
  const app = await launch({ ...options, ownProcess: true })
  await test.step('opening a terminal in a restricted folder requires one confirmation', async () => {
    const { page } = app
    const terminals = page.getByRole('tab', { name: /Terminal|sh/ })
    await page.keyboard.press('Control+Shift+`')
    const question = page.getByRole('dialog', { name: 'Open a terminal in a restricted folder?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(terminals).toHaveCount(0)
    await page.keyboard.press('Control+Shift+`')
    await question.getByRole('button', { name: 'Open terminal' }).click()
    await expect(page.locator('.xterm')).toHaveCount(1)
  })

  await test.step('a folder that the user keeps restricted stays restricted after a restart, without a banner', async () => {
    const status = () => app.page.getByRole('button', { name: /^Restricted/ })
    const banner = () => app.page.getByRole('region', { name: 'Folder trust' })
    await status().click()
    await app.page.getByRole('button', { name: 'Keep restricted' }).click()
    await expect(banner()).toHaveCount(0)
    await app.restart('SIGTERM')
    await expect(status()).toBeVisible()
    await expect(banner()).toHaveCount(0)
    await status().click()
    // The parent contains the home folder of the story.
    await expect(app.page.getByRole('button', { name: 'Trust parent folder' })).toHaveCount(0)
    await app.page.getByRole('button', { name: 'Trust folder' }).click()
    await expect(status()).toHaveCount(0)
  })
})
