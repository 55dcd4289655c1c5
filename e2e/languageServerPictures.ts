import type { Browser } from 'playwright'
import { picture, type Take } from './support/pictures.ts'
import { openFile, runPalette } from './support/window.ts'

const files = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" } }\n',
  'src/berths.ts': `/** A berth in the harbour. */
export interface Berth {
  name: string
  length: number
}

/** Returns the berths that are long enough for a ship. */
export function free(berths: readonly Berth[], length: number): Berth[] {
  return berths.filter((berth) => berth.length >= length)
}
`,
  'src/plan.ts': `import { free, type Berth } from './berths.js'

const berths: Berth[] = [
  { name: 'A1', length: 12 },
  { name: 'A2', length: '18' },
]

console.log(free(berths, 14).map((berth) => berth.nam))
`,
}

/** Takes a picture of the errors that a language server finds: in the text, the explorer and the problems view. */
export async function languageServerPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const scenario = { name: 'language-server-pictures', turns: [] }
  const viewport = { width: 1280, height: 720 }
  await picture(browser, theme, { files, scenario, settings: {}, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'tsconfig.json' }).waitFor()
    await runPalette(page, 'Toggle chat panel')
    await openFile(page, 'src/plan.ts')
    await page.locator('.squiggly-error').nth(1).waitFor()
    await runPalette(page, 'Show problems')
    await page.getByRole('tree', { name: 'Problems' }).getByRole('treeitem').nth(2).waitFor()
    await page.locator('.editor-group .view-lines').first().click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('F8')
    await page.keyboard.press('F8')
    await page.locator('.marker-widget').waitFor()
    await take(page, 'problems', page.locator('body'))
  })
}
