import type { Browser } from 'playwright'
import { answer, say, waitForGate, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'
import { focusEditor, openFile } from './support/window.ts'

const source = `import type { Berth, Ship } from './types'

/** Chooses a berth for a ship. */
export function assign(ship: Ship, berths: Berth[]): Berth | undefined {
  const free = berths.filter((berth) => berth.ship === null)
  let best = free[0]
  for (const berth of free) {
    if (berth.length >= ship.length && berth.length < best.length) best = berth
  }
  best.ship = ship
  return best
}
`
const edited = `/** Chooses the shortest free berth that is long enough; undefined if there is none. */
export function assign(ship: Ship, berths: Berth[]): Berth | undefined {
  const free = berths.filter((berth) => berth.ship === null && berth.length >= ship.length)
  const best = free.toSorted((a, b) => a.length - b.length)[0]
  if (best) best.ship = ship
  return best
}
`
/** The part of the answer that the first picture shows. */
const begun = edited.slice(0, edited.indexOf('  if (best)'))

const scenario: Scenario = {
  name: 'inline-edit-pictures',
  model: 'qwen2.5-coder:7b',
  turns: [],
  respond: ({ messages }) =>
    messages.at(-1)?.content.includes('fails')
      ? { status: 500, body: JSON.stringify({ error: { message: 'out of memory' } }) }
      : answer(say(`\`\`\`ts\n${begun}`), waitForGate('rest'), say(`${edited.slice(begun.length)}\`\`\``)),
}

/** Takes pictures of an inline edit: input, answer, proposal and error. */
export async function inlineEditPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const setting = {
    files: { 'src/berths.ts': source, 'src/types.ts': 'export interface Ship {}\n' },
    scenario,
    settings: { model: { endpointId: 'scripted', model: 'qwen2.5-coder:7b' } },
    viewport: { width: 1280, height: 560 },
  }
  await picture(browser, theme, setting, async (page, _git, endpoint) => {
    const area = page.locator('.editor-group').first()
    await page.getByRole('treeitem', { name: 'src' }).waitFor()
    await openFile(page, 'src/berths.ts')
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Shift+End')
    await page.keyboard.press('Control+b')
    await page.keyboard.press('Control+i')
    const field = page.getByRole('region', { name: 'Edit selection' }).getByRole('textbox')
    await field.fill('handle the case that no berth is long enough')
    await take(page, 'inline-edit-input', area)
    await field.press('Enter')
    await page.locator('.hunk-zone-added').first().waitFor()
    await take(page, 'inline-edit-answer', area)
    endpoint.release('rest')
    await page.getByRole('button', { name: 'Accept change 1 of 2' }).waitFor()
    await take(page, 'inline-edit', area)
    await field.fill('a request that fails')
    await field.press('Enter')
    await area.getByText('ran out of memory').waitFor()
    await take(page, 'inline-edit-error', area)
  })
}
