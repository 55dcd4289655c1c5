import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from './support/app.ts'
import { focusEditor, openFile, shownText, tab } from './support/window.ts'

let client: Client
test.beforeEach(() => {
  client = new Client({ name: 'story', version: '1.0.0' })
})
test.afterEach(() => client.close())

/** Starts the built `tizona mcp` on a folder, as the same user. */
function serve(workspace: string): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [join(process.cwd(), 'out/main/headless.js'), 'mcp', '--workspace', workspace, '--mode', 'yolo'],
    env: { PATH: process.env['PATH'] ?? '', TIZONA_USER_DATA: join(workspace, '..', 'user') },
  })
}

test('an edit by an MCP client shows in a clean tab, and keeps the unsaved text of a dirty one', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'colour = red\nsize = 1\n' } })
  const { page } = app
  await openFile(page, 'a.txt')
  await client.connect(serve(app.workspace))
  const edit = (old_text: string, new_text: string) =>
    client.callTool({ name: 'apply_patch', arguments: { path: 'a.txt', old_text, new_text } })

  expect(await edit('red', 'blue')).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('a.txt') }],
  })
  await expect.poll(() => shownText(page)).toContain('colour = blue\nsize = 1')
  await expect(tab(page, 'a.txt')).toHaveAccessibleName('a.txt')

  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('mine = yes')
  await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
  await edit('blue', 'green')
  const bar = page.getByRole('tabpanel').getByRole('alert')
  await expect(bar).toContainText('The file changed on disk. This tab has unsaved changes.')
  await expect.poll(() => shownText(page)).toContain('colour = blue\nsize = 1\nmine = yes')
  expect(await readFile(app.path('a.txt'), 'utf8')).toBe('colour = green\nsize = 1\n')

  await bar.getByRole('button', { name: 'Compare' }).click()
  const sides = page.locator('.monaco-diff-editor')
  await expect(sides).toContainText('green')
  await expect(sides).toContainText('mine')
})
