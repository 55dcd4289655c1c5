import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import type { Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'

const scenario: Scenario = { name: 'git-pictures', model: 'qwen2.5-coder:7b', turns: [] }
const settings = { model: { endpointId: 'scripted', model: 'qwen2.5-coder:7b' } }
const viewport = { width: 1280, height: 640 }

const berths = (tariff: string, fee: string): string => `import type { Ship } from './types'

/** Fee in euros per metre and day. */
export const tariff = ${tariff}

/** Returns the fee for a ship. */
export function feeOf(ship: Ship, days: number): number {
  ${fee}
}

export function isLong(ship: Ship): boolean {
  return ship.length > 80
}
`
const begun = berths('4', 'return ship.length * days * tariff')
const files = {
  'src/fees.ts': begun,
  'src/types.ts': 'export interface Ship {\n  length: number\n}\n',
  'README.md': '# Harbour\n',
}

/**
 * Takes pictures of the source control view with a diff, the marks of changed lines, the log and the conflict editor.
 */
export async function gitPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(browser, theme, { files, scenario, settings, viewport }, async (page, git) => {
    const root = outputOf(await git('rev-parse', '--show-toplevel')).trim()
    const write = (name: string, text: string) => writeFile(join(root, name), text)
    await git('switch', '-q', '-c', 'long-ships')
    await write('src/types.ts', 'export interface Ship {\n  name: string\n  length: number\n}\n')
    await git('commit', '-qam', 'Ships have names')
    await git('switch', '-q', 'main')
    await write('README.md', '# Harbour\n\nFees and berths of a small harbour.\n')
    await git('commit', '-qam', 'Explain the project')
    await git('merge', '-q', '--no-ff', '-m', "Merge branch 'long-ships'", 'long-ships')
    await git('tag', 'v0.1.0')
    await write(
      'src/fees.ts',
      berths('4.5', 'const discount = days > 7 ? 0.9 : 1\n  return ship.length * days * tariff * discount'),
    )
    await write('src/types.ts', 'export interface Ship {\n  name: string\n  length: number\n  draft: number\n}\n')
    await git('add', 'src/types.ts')
    await write('notes.md', 'Ask the harbour master.\n')

    await page.keyboard.press('Control+Alt+b')
    await page.keyboard.press('Control+Shift+g')
    await page.getByRole('textbox', { name: 'Commit message' }).fill('Long stays are cheaper')
    await page.getByRole('treeitem', { name: /^fees.ts/ }).click()
    await page.getByRole('button', { name: 'Next change' }).click()
    await page.getByRole('toolbar', { name: 'Changes' }).getByText('Change 1 of 2').waitFor()
    await take(page, 'git-view', page.locator('.workbench-body'))

    const row = page.getByRole('treeitem', { name: /^fees.ts/ })
    await row.hover()
    await row.getByRole('button', { name: 'Open file' }).click()
    await page.locator('.git-gutter-changed').first().click()
    await page.getByRole('region', { name: 'Change 1 of 2' }).waitFor()
    await take(page, 'git-marks', page.locator('.editor-group').first())

    await page.getByRole('button', { name: 'Show log' }).click()
    await page.getByRole('option', { name: /Ships have names/ }).click()
    await page.getByRole('listbox', { name: 'Changed files' }).waitFor()
    await take(page, 'git-log', page.locator('.workbench-body'))

    await git('stash', '-q')
    await git('switch', '-q', '-c', 'cheaper')
    await write('src/fees.ts', berths('3', 'return ship.length * days * tariff'))
    await git('commit', '-qam', 'Lower the tariff')
    await git('switch', '-q', 'main')
    await write('src/fees.ts', berths('4.5', 'return ship.length * days * tariff'))
    await git('commit', '-qam', 'Raise the tariff')
    await git('merge', 'cheaper').catch(() => undefined)
    await page.getByRole('treeitem', { name: /^fees.ts src, Conflict/ }).click()
    await page.getByRole('group', { name: 'Conflict 1' }).waitFor()
    await take(page, 'git-conflict', page.locator('.workbench-body'))
  })
}

/** Output of a command that `execFile` ran. */
function outputOf(result: unknown): string {
  return typeof result === 'object' && result !== null && 'stdout' in result ? String(result.stdout) : ''
}
