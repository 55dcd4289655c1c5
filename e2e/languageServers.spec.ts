import { expect, test } from './support/app.ts'
import { editor, openFile, shownText, tab } from './support/window.ts'

// The real TypeScript 7, as users get it.

const files = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" } }\n',
  'src/sum.ts': '/** Adds two numbers. */\nexport function sum(a: number, b: number): number {\n  return a + b\n}\n',
  'src/main.ts': "const total: number = 'three'\n\nconsole.log(sum(total, 2))\n",
}

test('errors appear while typing, F8 goes to them, and a quick fix adds the missing import', async ({ launch }) => {
  const { page } = await launch({ files })
  await openFile(page, 'src/main.ts')
  const squiggles = editor(page).locator('.squiggly-error')
  await expect(squiggles).toHaveCount(2)
  await expect(page.getByRole('button', { name: /2 errors, 0 warnings in this file/ })).toBeVisible()

  // The text is corrected without saving it.
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('End')
  for (let count = 0; count < "'three'".length; count += 1) await page.keyboard.press('Backspace')
  await page.keyboard.type('3')
  await expect(squiggles).toHaveCount(1)

  await page.keyboard.press('F8')
  await expect(editor(page)).toContainText("Cannot find name 'sum'")
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+.')
  await page.getByText(/Add import from/).click()
  await expect.poll(() => shownText(page)).toContain('import { sum } from "./sum')
  await expect(squiggles).toHaveCount(0)

  await page.keyboard.press('Control+End')
  await page.keyboard.type('su')
  await page.getByRole('option', { name: /^sum/ }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('(')
  await expect(page.locator('.parameter-hints-widget')).toContainText('sum(a: number, b: number): number')
  await expect(tab(page, 'main.ts')).toBeVisible()
})
