import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator, Page } from '@playwright/test'
import { checkView } from './support/accessibility.ts'
import { expect, onlyBrowser, test } from './support/app.ts'
import { cursorPosition, openFile } from './support/window.ts'
import { withoutServers } from './support/settings.ts'

// The real debugpy, which a user installs with pip.

const program = `import json


def total(items, rate):
    result = 0
    for item in items:
        result += item["price"]
    return result * rate


def main():
    data = json.loads('[{"price": 2}, {"price": 3}]')
    label = "total"
    print(label, total(data, 2))
    print("\\033[32mdone\\033[0m main.py:13")


main()
`

/** Adds a function breakpoint in the Breakpoints section. */
async function stopAtFunction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add function breakpoint' }).click()
  await page.getByRole('textbox', { name: 'Name of the function' }).fill(name)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(tree(page, 'Breakpoints').getByRole('treeitem', { name })).toBeVisible()
}

const tree = (page: Page, name: string): Locator => page.getByRole('tree', { name, exact: true })
const row = (page: Page, name: string, text: RegExp | string): Locator =>
  tree(page, name).getByRole('treeitem', { name: text }).first()

/** Whether the Python on PATH has debugpy. */
async function whyNoDebugpy(): Promise<string | null> {
  try {
    await promisify(execFile)('python3', ['-c', 'import debugpy'])
    return null
  } catch {
    return 'python3 has no debugpy (python3 -m pip install debugpy)'
  }
}

test(
  'a Python program is started from the Run view, inspected, changed and continued to its end',
  onlyBrowser,
  async ({ launch }) => {
    const missing = await whyNoDebugpy()
    test.skip(missing !== null, missing ?? '')
    const { page } = await launch({ files: { 'main.py': program }, settings: { theme: 'system', ...withoutServers } })

    await test.step('the Run view starts the active file, which stops at a function', async () => {
      await openFile(page, 'main.py')
      await page.keyboard.press('Control+Shift+D')
      await expect(page.getByRole('heading', { name: 'Run and debug' })).toBeVisible()
      await stopAtFunction(page, 'total')
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await expect(row(page, 'Call stack', /^total/)).toHaveAttribute('aria-current', 'true')
      await expect(page.getByRole('region', { name: 'Call stack' })).toContainText('Paused at a function breakpoint')
    })

    await test.step('variables are expanded by keyboard, and one is set', async () => {
      const variables = tree(page, 'Variables')
      await expect(row(page, 'Variables', /^items/)).toBeVisible()
      await variables.focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowRight')
      await expect(row(page, 'Variables', /^0\b/)).toContainText("'price'")
      await row(page, 'Variables', /^rate/).click()
      await page.keyboard.press('F2')
      await page.getByRole('textbox', { name: 'Value of rate' }).fill('10')
      await page.keyboard.press('Enter')
      await expect(row(page, 'Variables', /^rate/)).toContainText('10')
    })

    await test.step('a watched expression has its value, and an error is shown as such', async () => {
      await page.getByRole('button', { name: 'Add expression' }).click()
      await page.getByRole('textbox', { name: 'Expression to watch' }).fill('len(items) + rate')
      await page.keyboard.press('Enter')
      await expect(row(page, 'Watch', /^len/)).toContainText('12')
      await page.getByRole('button', { name: 'Add expression' }).click()
      await page.getByRole('textbox', { name: 'Expression to watch' }).fill('missing')
      await page.keyboard.press('Enter')
      await expect(row(page, 'Watch', /^missing/)).toContainText('NameError')
    })

    await test.step('another frame shows its variables', async () => {
      await row(page, 'Call stack', /^main/).click()
      await expect(row(page, 'Variables', /^label/)).toContainText("'total'")
      await row(page, 'Call stack', /^total/).click()
      await expect(row(page, 'Variables', /^rate/)).toContainText('10')
    })

    await test.step('the console evaluates with completion, and shows a value that can be expanded', async () => {
      await page.getByRole('button', { name: 'Show debug console' }).click()
      const field = page.getByRole('textbox', { name: 'Evaluate expression' })
      await field.click()
      await page.keyboard.type('ite')
      await expect(page.getByRole('option', { name: 'items' })).toBeVisible()
      await page.keyboard.press('Tab')
      await expect(field).toHaveValue('items')
      await page.keyboard.press('Enter')
      const output = tree(page, 'Debug console output')
      await output.getByRole('treeitem', { name: /price/ }).first().click()
      await expect(output.getByRole('treeitem', { name: /^0\b/ })).toBeVisible()
      await field.fill('rate = 100')
      await field.press('Enter')
      // What an expression changes is read again.
      await expect(row(page, 'Variables', /^rate/)).toContainText('100')
      await field.press('ArrowUp')
      await expect(field).toHaveValue('rate = 100')
      await checkView(page, 'a stopped program', {}, ['light', 'dark'])
    })

    await test.step('without the breakpoint it runs to its end, with colors and links in the output', async () => {
      await page.getByRole('button', { name: 'Remove all breakpoints' }).click()
      await row(page, 'Call stack', /^MainThread/).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Continue' }).click()
      await expect(page.getByRole('region', { name: 'Call stack' })).toContainText(
        'main.py has ended with exit code 0.',
      )
      const output = tree(page, 'Debug console output')
      await expect(output).toContainText('total 500')
      await expect(output).toContainText('main.py has ended with exit code 0.')
      const done = output.getByRole('treeitem', { name: /^done/ })
      await expect(done).toHaveText('done main.py:13')
      await done.getByRole('button', { name: 'main.py:13' }).click()
      await expect(cursorPosition(page)).toHaveText('Ln 13, Col 1')
      // Expressions stay watched, without values.
      await expect(row(page, 'Watch', /^len/)).toContainText('not available')
    })
  },
)
