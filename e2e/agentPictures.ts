import type { Browser, Page } from 'playwright'
import { scenarios } from './scenarios/index.ts'
import { picture, type Take } from './support/pictures.ts'
import { lastAnswer, send } from './support/window.ts'

const viewport = { width: 1440, height: 900 }

/** Takes pictures of the to-do list, the context bar, restoring, endpoints and MCP servers. */
export async function agentPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const files = { 'ships.json': '["Anna"]\n' }
  await picture(
    browser,
    theme,
    { files, scenario: { ...scenarios.guided, contextWindow: 8192 }, settings: { mode: 'yolo' }, viewport },
    async (page, _git, endpoint) => {
      await send(page, 'long task')
      await lastAnswer(page)
        .getByText(/I mend it/)
        .waitFor()
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Name the ferry Elsa')
      await page.getByRole('button', { name: 'Queue', exact: true }).click()
      await page.getByRole('button', { name: /^1\/3|Steps/ }).click()
      await page.getByTestId('context-bar').click()
      await take(page, 'composer', page.locator('.chat'))
      endpoint.release('mending')
    },
  )
  const price = 'export function price(net: number, rate: number): number {\n  return net * rate\n}\n'
  const sources = { 'src/price.ts': price, 'notes.md': '# Notes\n' }
  await picture(
    browser,
    theme,
    { files: sources, scenario: scenarios.badTurn, settings: { mode: 'yolo' }, viewport },
    async (page) => {
      await send(page, 'Round the price')
      await lastAnswer(page)
        .getByText(/I have rounded/)
        .waitFor()
      const message = page.getByRole('article', { name: 'You' })
      await message.hover()
      await message.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Restore…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: /price\.ts/ }).click()
      await dialog.getByRole('region', { name: 'Diff of src/price.ts' }).getByText('NaN').first().waitFor()
      await take(page, 'restore', dialog)
    },
  )
  await picture(
    browser,
    theme,
    {
      files: servedFolder,
      scenario: scenarios.serverTool,
      settings: mcpSettings,
      viewport: { width: 1440, height: 1100 },
    },
    async (page) => {
      await page.getByRole('button', { name: 'Review…' }).click()
      await take(page, 'mcp-trust', page.getByRole('dialog'))
      await page.getByRole('button', { name: 'Later' }).click()
      await settingsPictures(page, take)
    },
  )
}

async function settingsPictures(page: Page, take: Take): Promise<void> {
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  const servers = page.getByRole('region', { name: 'MCP servers', exact: true })
  await servers.getByRole('button', { name: /2 tools/ }).click()
  await take(page, 'mcp-servers', servers)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const form = page.getByRole('form', { name: 'New endpoint' })
  await form.getByRole('textbox', { name: 'Address' }).fill('https://gpu-box.example:8000')
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('GPU box')
  await form.locator('summary').click()
  await take(page, 'endpoint', form)
}

/** A small MCP server in the folder, so that the picture contains no path of this machine. */
const shipsServer = `import { createInterface } from 'node:readline'
const schema = { type: 'object', properties: {} }
const tools = [
  { name: 'list_ships', title: 'List ships', description: 'The ships in the harbour today.', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'assign_berth', title: 'Assign berth', description: 'Gives a ship another berth.', inputSchema: schema },
]
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'ships', version: '1.0.0' } },
    'tools/list': { tools },
  }
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }) + '\\n')
}
`
const servedFolder = {
  'ships.mjs': shipsServer,
  '.mcp.json': JSON.stringify({
    mcpServers: {
      charts: {
        command: 'npx',
        args: ['-y', 'sea-charts-mcp', '--area', 'north'],
        env: { CHARTS_KEY: '${input:key}' },
      },
    },
  }),
}
const mcpSettings = {
  mode: 'safe' as const,
  mcp: {
    servers: { ships: { type: 'stdio' as const, command: 'node', args: ['${workspaceFolder}/ships.mjs'], env: {} } },
    choices: {},
  },
}
