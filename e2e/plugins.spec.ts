import type { Page } from '@playwright/test'
import { packZip } from '../src/main/testing/packZip.ts'
import { scenarios } from './scenarios/index.ts'
import { checkView, inDialog } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { addPluginFolder, forgePlugin, writePlugin } from './support/forgePlugin.ts'
import { cardIs, lastAnswer, pressWithKeys, runPalette, send } from './support/window.ts'

const plugins = (page: Page) => page.getByRole('region', { name: 'Plug-ins' })
const row = (page: Page) => plugins(page).getByRole('listitem').filter({ hasText: 'Checks commands' })
const refusedCards = (page: Page) => page.locator('[data-testid="tool-card"][data-state="refused"]')

test('a plug-in is reviewed and trusted by keyboard, works in a turn, is updated by a diff, and is removed', async ({
  launch,
}) => {
  const app = await launch({
    files: { 'a.txt': 'blade\n' },
    scenario: scenarios.runCommand,
    settings: { mode: 'yolo', theme: 'system' },
  })
  const { page } = app
  const folder = await writePlugin(app)

  await test.step('it is added, lists what it brings, and does nothing yet', async () => {
    await addPluginFolder(app, folder)
    await expect(row(page)).toContainText('1.0.0 · not trusted')
    await expect(row(page)).toContainText('PreToolUse (Bash)')
    await expect(row(page)).toContainText('"${CLAUDE_PLUGIN_ROOT}"/scripts/check.sh')
    await expect(row(page)).toContainText('node ${CLAUDE_PLUGIN_ROOT}/anvil.mjs')
    await expect(row(page)).toContainText('/forge:inspect')
    await expect(row(page)).toContainText(
      'It runs on opus if the server of the conversation or one on this machine offers it',
    )
    await expect(row(page)).toContainText('1 part not used')
    await checkView(page, 'a plug-in that is not trusted', { only: ['.extensions'] }, ['light', 'dark'])
    await send(page, 'run: echo melt')
    await cardIs(page, 'run_command', 'done')
    await send(page, '/forge:inspect')
    await expect(page.getByText('There is no command /forge:inspect.').first()).toBeVisible()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('')
  })

  await test.step('its files are trusted in a dialog that names every program', async () => {
    await runPalette(page, 'Plug-ins')
    await expect(plugins(page).getByRole('button', { name: 'Add from folder…' })).toBeFocused()
    await pressWithKeys(page.getByRole('button', { name: 'Trust forge…' }))
    const dialog = page.getByRole('dialog', { name: 'Trust forge?' })
    await expect(dialog.getByRole('button', { name: 'Not now' })).toBeFocused()
    await expect(dialog).toContainText('scripts/check.sh')
    await pressWithKeys(dialog.locator('summary', { hasText: 'Read its files' }))
    await pressWithKeys(dialog.locator('summary', { hasText: 'scripts/check.sh' }))
    await expect(dialog.getByLabel('scripts/check.sh')).toContainText('The forge melts no blades.')
    await dialog.getByRole('button', { name: 'Not now' }).focus()
    await checkView(page, 'the trust in a plug-in', inDialog, ['light', 'dark'])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(row(page)).toContainText('1.0.0 · trusted')
  })

  await test.step('its prompt and its hook work in a turn', async () => {
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await message.fill('/forge:inspect sword')
    await message.press('Enter')
    await expect(message).toHaveValue('run: echo "inspected sword"')
    await message.press('Enter')
    await expect(lastAnswer(page)).toContainText('inspected sword')
    await send(page, 'run: echo melt')
    await expect(refusedCards(page)).toContainText('The forge melts no blades.')
  })

  await test.step('it is off in this folder, and on again', async () => {
    await runPalette(page, 'Plug-ins')
    await pressWithKeys(page.getByRole('button', { name: 'Disable in this folder: forge' }))
    await expect(row(page)).toContainText('1.0.0 · disabled in this folder')
    await send(page, 'run: echo melt quietly')
    await expect(lastAnswer(page)).toContainText('melt quietly')
    await pressWithKeys(page.getByRole('button', { name: 'Enable in this folder: forge' }))
    await expect(row(page)).toContainText('1.0.0 · trusted')
  })

  await test.step('its server is listed with its origin', async () => {
    await page.keyboard.press('Control+,')
    const server = page.getByRole('region', { name: 'MCP server forge:anvil' })
    await expect(server).toContainText('Plug-in: forge')
    await expect(server).toContainText('1 tool')
  })

  await test.step('a changed source changes nothing, until the user has seen and accepted the difference', async () => {
    await writePlugin(app, {
      '.claude-plugin/plugin.json': forgePlugin['.claude-plugin/plugin.json'].replace('1.0.0', '1.1.0'),
      'scripts/check.sh': forgePlugin['scripts/check.sh'].replace('no blades', 'nothing'),
      'logo.bin': '\0\u0001\u0002',
    })
    await send(page, 'run: echo melt again')
    await expect(refusedCards(page).last()).toContainText('The forge melts no blades.')
    await runPalette(page, 'Check plug-ins for updates')
    const update = plugins(page).getByRole('region', { name: 'Update of forge' })
    await expect(update).toContainText('Update to 1.1.0')
    await expect(update).toContainText('3 changed files')
    await expect(update.getByRole('region', { name: 'Changes in scripts/check.sh' })).toContainText(
      'The forge melts nothing.',
    )
    await expect(update).toContainText(/logo\.bin missing → 3 bytes, SHA-256 [\da-f]{16}/)
    await checkView(page, 'an update of a plug-in', { only: ['.extensions'] }, ['light', 'dark'])
    await pressWithKeys(page.getByRole('button', { name: 'Accept update of forge' }))
    await expect(update).toHaveCount(0)
    await expect(row(page)).toContainText('1.1.0 · trusted')
    await send(page, 'run: echo melt once more')
    await expect(refusedCards(page).last()).toContainText('The forge melts nothing.')
  })

  await test.step('it is removed with its server and its hook', async () => {
    await runPalette(page, 'Plug-ins')
    await pressWithKeys(page.getByRole('button', { name: 'Remove forge' }))
    const dialog = page.getByRole('dialog', { name: 'Remove forge?' })
    await expect(dialog).toContainText('It has stored 1 file')
    await checkView(page, 'removing a plug-in with data', inDialog, ['light', 'dark'])
    await dialog.getByRole('button', { name: 'Remove with data' }).press('Enter')
    await expect(plugins(page)).toContainText('No plug-in is installed.')
    await page.keyboard.press('Control+,')
    await expect(page.getByRole('region', { name: 'MCP server forge:anvil' })).toHaveCount(0)
    await send(page, 'run: echo melt finally')
    await expect(lastAnswer(page)).toContainText('melt finally')
  })
})

test('a .zip file that is dropped on the page is added, and a hostile one is refused with a reason', async ({
  launch,
}) => {
  const { page } = await launch({ files: { 'a.txt': 'a\n' } })
  await runPalette(page, 'Plug-ins')
  const drop = async (name: string, files: Readonly<Record<string, string>>) => {
    const dropped = await page.evaluateHandle(
      ([fileName, data]) => {
        const transfer = new DataTransfer()
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
        transfer.items.add(new File([bytes], fileName))
        return transfer
      },
      [name, Buffer.from(packZip(files)).toString('base64')] as const,
    )
    await page.dispatchEvent('[data-drop=plugins]', 'drop', { dataTransfer: dropped })
  }
  await drop('evil.zip', { 'commands/../../evil.md': 'x' })
  await expect(page.getByText('The plug-in was not added').first()).toBeVisible()
  await drop(
    'forge.zip',
    Object.fromEntries(Object.entries(forgePlugin).map(([name, text]) => [`forge/${name}`, text])),
  )
  await expect(row(page)).toContainText('forge.zip')
  await expect(row(page)).toContainText('not trusted')
  await plugins(page).getByRole('button', { name: 'Disable forge', exact: true }).press('Enter')
  await expect(row(page)).toContainText('disabled')
})
