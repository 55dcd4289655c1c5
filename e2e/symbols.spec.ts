import type { Locator, Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { cursorPosition as position, editor, focusEditor, goTo, openFile, shownText, tab } from './support/window.ts'

const files = {
  'src/users.ts': `import { hash } from './hash'

/** Keeps users. */
export class UserStore {
  add(name: string): string {
    return hash(name)
  }
}

export function createUser(name: string): string {
  const local = name
  return new UserStore().add(local)
}
`,
  'src/hash.ts': `// Hashes
${'\n'.repeat(40)}/** Hashes a text. */
export function hash(text: string): string {
  return text
}
`,
  'src/main.ts': "import { createUser } from './users'\n\ncreateUser('Ada')\ncreateUser('Bo')\n",
  'tools/helpers.py': 'def double(number):\n    """Twice as much."""\n    return number * 2\n',
  'tools/run.py': 'from helpers import double\n\n\ndef main():\n    print(double(21))\n',
  'tools/store.py': 'class Store:\n    def put(self, item):\n        pass\n',
  'tools/use.py': 'def use(thing):\n    thing.put(1)\n',
  // No language server: it would list the symbols instead of the code index.
  'tools/halve.rb': 'def halve(number)\n  number / 2\nend\n',
  'notes.txt': 'nothing to see\n',
}

const outline = (page: Page): Locator => page.getByRole('region', { name: 'Outline' })
const symbol = (page: Page, name: string): Locator =>
  outline(page).getByRole('treeitem', { name: new RegExp(`^${name},`) })
const peek = (page: Page): Locator => page.locator('.peekview-widget')

test('definitions and references are found in open files, files that are not open, and unsaved text', async ({
  launch,
}, info) => {
  const { page } = await launch({ files })
  await test.step('F12 and Ctrl+click go to the definition in another file, and Alt+Left goes back', async () => {
    await openFile(page, 'src/users.ts')
    await goTo(page, '6:14')
    await page.keyboard.press('F12')
    await expect(tab(page, 'hash.ts')).toHaveAttribute('aria-selected', 'true')
    await expect(position(page)).toHaveText('Ln 43, Col 17')
    await page.keyboard.press('Alt+ArrowLeft')
    await expect(tab(page, 'users.ts')).toHaveAttribute('aria-selected', 'true')
    await expect(position(page)).toHaveText('Ln 6, Col 14')
    await page.keyboard.press('Alt+ArrowRight')
    await expect(position(page)).toHaveText('Ln 43, Col 17')

    await openFile(page, 'tools/run.py')
    await goTo(page, '5:12')
    await editor(page)
      .locator('.cursor')
      .first()
      .click({ modifiers: ['Control'], force: true })
    await expect(tab(page, 'helpers.py')).toHaveAttribute('aria-selected', 'true')
    await expect(position(page)).toHaveText('Ln 1, Col 5')
  })

  await test.step('symbols private to a file are found, and matched by name only if nothing better is known', async () => {
    await openFile(page, 'src/users.ts')
    await goTo(page, '12:32')
    await page.keyboard.press('F12')
    await expect(position(page)).toHaveText('Ln 11, Col 9')
    await openFile(page, 'tools/use.py')
    await goTo(page, '2:12')
    await page.keyboard.press('F12')
    await expect(tab(page, 'store.py')).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('status').getByText('"put" was found by name only')).toBeVisible()
    await expect(position(page)).toHaveText('Ln 2, Col 9')
    await openFile(page, 'tools/run.py')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('F12')
    await expect(page.getByRole('alert').getByText('No definition found')).toBeVisible()
  })

  await test.step('Shift+F12 lists references, with the text of files that are not open', async () => {
    await openFile(page, 'src/users.ts')
    await goTo(page, '10:18')
    await page.keyboard.press('Shift+F12')
    await expect(peek(page)).toBeVisible()
    await peek(page)
      .getByRole('treeitem', { name: /main\.ts/ })
      .click()
    await peek(page)
      .getByRole('treeitem', { name: /createUser\('Bo'\)|line 4/ })
      .click()
    await expect(peek(page).locator('.view-lines')).toContainText("createUser('Bo')")
    // That file is not open: its text is shown read-only.
    await page.keyboard.type('typed')
    await expect(peek(page).locator('.view-lines')).not.toContainText('typed')
    await page.keyboard.press('Escape')
    await expect(peek(page)).toHaveCount(0)
    // The definition opens in a peek view, without leaving the file.
    await goTo(page, '6:14')
    await page.keyboard.press('Alt+F12')
    await expect(peek(page).locator('.view-lines')).toContainText('Hashes a text.')
    await page.keyboard.press('Escape')
    await expect(tab(page, 'users.ts')).toHaveAttribute('aria-selected', 'true')
  })

  await test.step('definition and symbol search immediately find a renamed symbol in unsaved text', async () => {
    await openFile(page, 'src/hash.ts')
    await goTo(page, '43:17')
    await page.keyboard.press('Control+Shift+ArrowRight')
    await page.keyboard.type('digest')
    await openFile(page, 'src/users.ts')
    await goTo(page, '1:10')
    await page.keyboard.press('Control+Shift+ArrowRight')
    await page.keyboard.type('digest')
    await goTo(page, '6:12')
    await page.keyboard.press('Control+Shift+ArrowRight')
    await page.keyboard.type('digest')
    await page.keyboard.press('F12')
    await expect(tab(page, 'hash.ts')).toHaveAttribute('aria-selected', 'true')
    await expect(position(page)).toHaveText('Ln 43, Col 17')

    // Browsers reserve Ctrl+T.
    await page.keyboard.press(info.project.name === 'browser' ? 'Alt+t' : 'Control+t')
    await page.getByRole('combobox').fill('#dige')
    await expect(page.getByRole('option', { name: /digest.*hash\.ts.*function/ })).toBeVisible()
    await page.getByRole('combobox').fill('#cUs')
    await page.getByRole('option', { name: /createUser/ }).click()
    await expect(tab(page, 'users.ts')).toHaveAttribute('aria-selected', 'true')
    await expect(position(page)).toHaveText('Ln 10, Col 17')
  })
})

test('the outline and the list of symbols follow the file', async ({ launch }) => {
  const app = await launch({ files })
  const { page } = app
  await test.step('Ctrl+Shift+O lists the symbols of the file', async () => {
    await expect(outline(page)).toContainText('Open a file')
    await openFile(page, 'src/users.ts')
    // The language server also lists local names, once it runs.
    await expect(symbol(page, 'local')).toBeVisible()
    await page.keyboard.press('Control+Shift+o')
    await expect(page.getByRole('option')).toHaveText([/UserStore/, /add/, /createUser/, /local/])
    await page.getByRole('combobox').fill('@cre')
    await page.keyboard.press('Enter')
    await expect(position(page)).toHaveText('Ln 10, Col 17')
  })

  await test.step('the outline follows editor, cursor and typing, and goes to a symbol', async () => {
    await openFile(page, 'src/users.ts')
    await expect(symbol(page, 'UserStore')).toHaveAttribute('aria-level', '1')
    await expect(symbol(page, 'add')).toHaveAttribute('aria-level', '2')
    await goTo(page, '6:5')
    await expect(symbol(page, 'add')).toHaveAttribute('aria-current', 'location')
    await symbol(page, 'createUser').click()
    await expect(position(page)).toHaveText('Ln 10, Col 17')
    await expect(symbol(page, 'createUser')).toHaveAttribute('aria-current', 'location')

    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('export const added = 1')
    await expect(symbol(page, 'added')).toBeVisible()
    await expect.poll(() => shownText(page)).toContain('added')

    await outline(page).getByRole('tree').focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    await expect(symbol(page, 'add')).toHaveCount(0)
    await page.keyboard.type('ad')
    await expect(symbol(page, 'createUser')).toHaveCount(0)
    await expect(symbol(page, 'add')).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(position(page)).toHaveText('Ln 5, Col 3')
    await expect(editor(page).locator('textarea, .native-edit-context').first()).toBeFocused()
  })

  await test.step('the outline shows why it is empty, and collapses', async () => {
    await openFile(page, 'notes.txt')
    await expect(outline(page)).toContainText('have no outline')
    await openFile(page, 'tools/halve.rb')
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('x = ) 1')
    await expect(outline(page).getByRole('img', { name: /could not be parsed/ })).toBeVisible()
    await page.getByRole('button', { name: 'Outline', exact: true }).click()
    await expect(outline(page)).toHaveCount(0)
    await page.keyboard.press('Control+s')
    await app.reload()
    await expect(page.getByRole('button', { name: 'Outline', exact: true })).toHaveAttribute('aria-expanded', 'false')
  })
})
