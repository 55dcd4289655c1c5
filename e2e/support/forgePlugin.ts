import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, type App } from './app.ts'
import { runPalette } from './window.ts'

/** A server for the Model Context Protocol without a package. */
const server = `
process.stdin.setEncoding('utf8')
let rest = ''
const tool = { name: 'strike', description: 'Strikes the steel.', inputSchema: { type: 'object' } }
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'anvil', version: '1' } },
  'tools/list': { tools: [tool] },
}
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  }
})
`

/** A plug-in in the format of Claude Code, with a part of each kind. */
export const forgePlugin = {
  '.claude-plugin/plugin.json': `${JSON.stringify(
    {
      name: 'forge',
      version: '1.0.0',
      description: 'Checks commands and inspects blades.',
      author: { name: 'The smith' },
      outputStyles: './styles',
    },
    null,
    2,
  )}\n`,
  'skills/temper/SKILL.md':
    '---\nname: temper\ndescription: How to temper steel.\n---\nHeat to straw color, then quench.\n',
  'commands/inspect.md':
    '---\ndescription: Inspect a blade\nargument-hint: BLADE\n---\nrun: echo "inspected $ARGUMENTS"\n',
  'agents/quench.md':
    '---\nname: quench\ndescription: Quenches what others have heated.\ntools: Read, Grep\nmodel: opus\n---\nYou quench.\n',
  'hooks/hooks.json': JSON.stringify({
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [{ type: 'command', command: '"${CLAUDE_PLUGIN_ROOT}"/scripts/check.sh', timeout: 20 }],
        },
      ],
    },
  }),
  'scripts/check.sh': [
    '#!/bin/bash',
    'echo checked >> "$CLAUDE_PLUGIN_DATA/checks.log"',
    'if grep -q "melt"; then echo "The forge melts no blades." >&2; exit 2; fi',
    '',
  ].join('\n'),
  '.mcp.json': JSON.stringify({
    mcpServers: { anvil: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/anvil.mjs'] } },
  }),
  'anvil.mjs': server,
}

/** Writes files of a plug-in beside the workspace. @returns the folder */
export async function writePlugin(app: App, files: Readonly<Record<string, string>> = forgePlugin): Promise<string> {
  const folder = join(dirname(app.path('')), 'forge-plugin')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** Adds a folder with the command: in the system's dialog on the desktop, or in the folder picker. */
export async function addPluginFolder({ page, desktop }: App, folder: string): Promise<void> {
  await runPalette(page, 'Add plug-in from folder')
  if (desktop) {
    const { answer } = await desktop.dialog()
    await answer({ filePaths: [folder] })
    return
  }
  const dialog = page.getByRole('dialog', { name: 'Add plug-in from folder' })
  const field = dialog.getByRole('textbox', { name: 'Folder path' })
  await expect(field).not.toHaveValue('')
  await field.fill(folder)
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'Add this folder' }).press('Enter')
  await expect(dialog).toHaveCount(0)
}
