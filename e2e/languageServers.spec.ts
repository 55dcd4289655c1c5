import { violations } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { editor, openFile, shownText, tab } from './support/window.ts'

// The real TypeScript 7, as users get it.

const files = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" } }\n',
  'src/sum.ts': '/** Adds two numbers. */\nexport function sum(a: number, b: number): number {\n  return a + b\n}\n',
  'src/data.json': '{ "a": }\n',
  'src/main.ts': "const total: number = 'three'\n\nconsole.log(sum(total, 2))\n",
}

test('errors appear while typing, F8 goes to them, and a quick fix adds the missing import', async ({ launch }) => {
  const { page } = await launch({ files })
  await openFile(page, 'src/data.json')
  await openFile(page, 'src/main.ts')
  const squiggles = editor(page).locator('.squiggly-error')
  await expect(squiggles).toHaveCount(2)
  await expect(page.getByRole('treeitem', { name: 'src', exact: true })).toHaveAccessibleDescription(
    /Contains 3 problems/,
  )
  await expect(page.getByRole('button', { name: /^Language server TypeScript 7: Running/ })).toBeVisible()

  // Monaco's own TypeScript does not start beside the server.
  expect(page.workers().filter((worker) => worker.url().includes('ts.worker'))).toEqual([])

  // The problems view lists those of the editor too, and goes to the last.
  await page.keyboard.press('Control+Shift+M')
  const problems = page.getByRole('tree', { name: 'Problems' })
  await expect(problems).toBeFocused()
  await expect(problems.getByRole('treeitem')).toHaveCount(5)
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /^Ln 3, Col 13/ })).toBeVisible()
  await expect(problems).not.toBeFocused()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Control+J')
  await expect(page.getByRole('button', { name: /^3 errors, 0 warnings; show the problems/ })).toBeVisible()

  // The text is corrected without saving it.
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('End')
  for (let count = 0; count < "'three'".length; count += 1) await page.keyboard.press('Backspace')
  await page.keyboard.type('3')
  await expect(squiggles).toHaveCount(1)

  await page.keyboard.press('F8')
  await expect(editor(page)).toContainText("Cannot find name 'sum'")
  // After the last one of the file follows the next file with problems.
  await page.keyboard.press('F8')
  await expect(tab(page, 'data.json')).toHaveAttribute('aria-selected', 'true')
  await expect(editor(page)).toContainText('Value expected')
  await page.keyboard.press('Shift+F8')
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
