import type { Browser } from 'playwright'
import type { Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { focusEditor, openFile } from './support/window.ts'

const source = `export interface Berth {
  name: string
  length: number
  ship: string | null
}

/** Returns the berths that are long enough for a ship. */
`
const suggested =
  'berths: readonly Berth[], length: number): Berth[] {\n  return berths.filter((berth) => berth.ship === null && berth.length >= length)\n}'

const scenario: Scenario = {
  name: 'completion-pictures',
  model: 'qwen2.5-coder:1.5b',
  turns: [],
  completion: {
    server: 'llamacpp',
    respond: ({ before }) => (before.endsWith('export function free(') ? suggested : ''),
  },
}
const model = { endpointId: 'scripted', model: 'qwen2.5-coder:1.5b' }

/** Takes a picture of an inline suggestion. */
export async function completionPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const completion = { enabled: true, inComments: true, model, nextEditModel: null, maxTokens: 128 }
  const settings = { ...withoutServers, model, completion }
  const viewport = { width: 1280, height: 400 }
  await picture(browser, theme, { files: { 'berths.ts': source }, scenario, settings, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'berths.ts' }).waitFor()
    await page.keyboard.press('Control+b')
    await page.keyboard.press('Control+Alt+b')
    await openFile(page, 'berths.ts')
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('export function free(')
    // The lines below the cursor, which are in no box of their own.
    await page.locator('.suggest-preview-text', { hasText: 'return berths' }).waitFor({ state: 'attached' })
    await take(page, 'completion', page.locator('.editor-group').first())
  })
}
