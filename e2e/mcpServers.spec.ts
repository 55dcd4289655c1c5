import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { allowOnce, approval, cardIs, lastAnswer, send, unfold } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

const fixture = join(process.cwd(), 'src/main/mcp/testing/fixtureServer.ts')
const definition = (...args: string[]) =>
  JSON.stringify({
    mcpServers: { tools: { command: process.execPath, args: [fixture, ...args], env: { GREETING: 'ho\u202ela' } } },
  })

async function openServers(page: Page) {
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  return page.getByRole('region', { name: 'MCP servers', exact: true })
}

/** The dialog that the notice opens. */
async function review(page: Page) {
  await page.getByRole('button', { name: 'Review…' }).first().click()
  return page.getByRole('dialog')
}

test('a server of the folder runs once its definition is trusted, its tool requires approval, and a changed definition requires a new trust decision', async ({
  launch,
}) => {
  const { page, path } = await launch({
    files: { '.mcp.json': definition('child') },
    scenario: scenarios.serverTool,
    settings: { mode: 'safe' },
  })
  const dialog = await review(page)
  await expect(dialog).toContainText('Trust the MCP server "tools"?')
  const shown = dialog.getByRole('region', { name: 'Definition' })
  for (const part of [process.execPath, fixture, 'child', 'Variable GREETING', 'ho\\u202ela'])
    await expect(shown).toContainText(part)
  await expect(dialog).toContainText('Hidden characters are shown as symbols.')
  // Nothing has run so far: the fixture would have created a file.
  await expect(readFile(path('child.pid'))).rejects.toThrow()

  await dialog.getByRole('button', { name: 'Trust and start' }).click()
  await expect(dialog).toHaveCount(0)
  // A message does not wait for a server.
  await expect((await openServers(page)).getByTestId('mcp-server')).toHaveAttribute('data-state', 'connected')
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await send(page, 'use tools__shout')
  const question = await approval(page)
  await expect(question).toContainText('tools: shout')
  await expect(question).toContainText('hola')
  await allowOnce(page)
  await cardIs(page, 'tools__shout', 'done')
  await expect(lastAnswer(page)).toContainText('The model read: HOLA')

  await send(page, 'use tools__picture')
  await allowOnce(page)
  const picture = (await unfold(page, 'tools__picture')).getByRole('img', { name: 'Result image 1' })
  await expect(picture).toBeVisible()
  // The image was decoded, so the page's policy did not block it.
  expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(5)

  await writeFile(path('.mcp.json'), definition('plain'))
  const again = await review(page)
  await expect(again).toContainText('Trust the changed MCP server "tools"?')
  await expect(again.locator('del')).toContainText('child')
  await expect(again.locator('ins')).toContainText('plain')
  await again.getByRole('button', { name: 'Later' }).click()
  await send(page, 'use tools__shout')
  await expect(await cardIs(page, 'tools__shout', 'failed')).toContainText('has no tool')
  await expect(page.getByText('was not started, because you have not trusted it yet')).toBeVisible()
})

test('a refused server is not started, and stays refused after a reload', async ({ launch }) => {
  const { page, path, reload } = await launch({
    files: { '.mcp.json': definition('child') },
    scenario: scenarios.serverTool,
  })
  await (await review(page)).getByRole('button', { name: 'Refuse' }).click()
  const servers = await openServers(page)
  await expect(servers.getByTestId('mcp-server')).toHaveAttribute('data-state', 'refused')
  await reload()
  await expect((await openServers(page)).getByTestId('mcp-server')).toHaveAttribute('data-state', 'refused')
  await expect(readFile(path('child.pid'))).rejects.toThrow()
})

test('servers are added and their tools switched off or given another risk in the settings, and a failed server shows its last output', async ({
  launch,
}) => {
  const { page } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.serverTool, settings: { mode: 'safe' } })
  const servers = await openServers(page)
  await servers.getByRole('button', { name: 'Add MCP server' }).click()
  const form = servers.getByRole('form', { name: 'New MCP server' })
  // The form opens at the end of the visible part of the page.
  await expect(form.getByRole('button', { name: 'Save' })).toBeInViewport()
  await form.getByRole('textbox', { name: 'Name' }).fill('mine')
  await form.getByRole('textbox', { name: 'Program' }).fill(process.execPath)
  await form.getByRole('textbox', { name: 'Arguments' }).fill(`${fixture}\nplain`)
  await form.getByRole('textbox', { name: 'Environment' }).fill('KEY=${input:token}')
  await form.getByLabel('Secret token').fill('s3cret')
  await form.getByRole('button', { name: 'Save' }).click()
  const server = servers.getByTestId('mcp-server')
  await expect(server).toHaveAttribute('data-state', 'connected')

  await server.getByRole('button', { name: /tools/ }).click()
  await server.getByRole('combobox', { name: 'Risk of mine__environment' }).selectOption('Reads')
  await send(page, 'use mine__environment')
  // With the risk "read" it requires no approval.
  await cardIs(page, 'mine__environment', 'done')
  await expect(lastAnswer(page)).toContainText('"KEY":"s3cret"')
  const toggle = server.getByRole('switch', { name: 'mine__environment' })
  await toggle.click()
  await expect(toggle).not.toBeChecked()
  await send(page, 'use mine__environment')
  await expect(await cardIs(page, 'mine__environment', 'failed')).toContainText('turned off in the settings')
  await expect(page.getByText('Removed: mine__environment.')).toBeVisible()

  await server.getByRole('button', { name: 'Change mine' }).click()
  const change = servers.getByRole('form', { name: 'Change mine' })
  await expect(change.getByLabel('Secret token')).toHaveValue('')
  await change.getByRole('textbox', { name: 'Arguments' }).fill(`${fixture}\ndies`)
  await change.getByRole('button', { name: 'Save' }).click()
  await expect(server).toContainText('cannot go on: no disk')
})
