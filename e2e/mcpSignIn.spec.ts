import { startOAuthFixture } from '../src/main/mcp/testing/oauthFixture.ts'
import { expect, test } from './support/app.ts'
import { scenarios } from './scenarios/index.ts'

test('a server that requires a sign-in names the host first, connects after it, and offers its prompts', async ({
  launch,
}) => {
  const remote = await startOAuthFixture()
  try {
    const { page } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.serverTool })
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    const servers = page.getByRole('region', { name: 'MCP servers', exact: true })
    await servers.getByRole('button', { name: 'Add MCP server' }).click()
    const form = servers.getByRole('form', { name: 'New MCP server' })
    await form.getByRole('textbox', { name: 'Name' }).fill('remote')
    await form.getByRole('combobox', { name: 'Transport' }).selectOption('Address (HTTP)')
    await form.getByRole('textbox', { name: 'Address' }).fill(remote.url)
    await form.getByRole('button', { name: 'Save' }).click()
    const server = servers.getByTestId('mcp-server')
    await expect(server).toContainText('Sign-in required')

    await server.getByRole('button', { name: 'Sign in…' }).click()
    const question = page.getByRole('dialog')
    await expect(question).toContainText(`Your browser opens ${new URL(remote.issuer).host}.`)
    expect(remote.registrations).toEqual([])
    await question.getByRole('button', { name: 'Open browser' }).click()
    // The user's browser is not part of the story, so the address comes from the window.
    const waiting = server.getByRole('status')
    await expect(waiting).toContainText(remote.issuer)
    await remote.browse((await waiting.locator('code').textContent()) ?? '')

    await expect(server).toContainText('Connected, signed in')
    await server.getByRole('button', { name: '3 prompts, 3 resources' }).click()
    await expect(server).toContainText('/remote__review file="…" [focus="…"]')
    await server.getByRole('button', { name: 'Sign out' }).click()
    await expect(server).toContainText('Sign-in required')
  } finally {
    await remote.close()
  }
})
