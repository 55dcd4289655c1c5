import type { Page } from '@playwright/test'
import { say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { allThemes, checkView } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { shop, startVite, type ViteServer } from './support/vite.ts'
import { lastAnswer, readPage, runPalette, send } from './support/window.ts'

// The Preview tab with a real Chromium and the dev server of a real Vite project.

const scenario: Scenario = {
  name: 'shop',
  turns: [{ prompt: /./, steps: [{ title: 'Answer', play: () => ({ parts: [say('Done.')] }) }] }],
}

const servers: ViteServer[] = []
test.afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const input = (page: Page) => page.getByRole('textbox', { name: 'Page', exact: true })
const tree = (page: Page) => page.getByRole('list', { name: 'Content of the page' })

/** Clicks at a point of the page that the tab shows. */
const clickAt = (page: Page, x: number, y: number) => input(page).click({ position: { x, y } })

test('a person opens the page of the folder, uses it, and picks an element for the model', async ({ launch }) => {
  const { page, workspace, endpoint } = await launch({
    files: shop,
    settings: { theme: 'system' },
    scenario,
  })
  servers.push(await startVite(workspace))
  await runPalette(page, 'Open page preview')

  await test.step('the only server opens by itself', async () => {
    await readPage(page, 'button "Add to cart"')
    await expect(page.getByRole('textbox', { name: 'Address' })).toHaveValue(/^http:\/\/localhost:\d+\/$/)
  })

  await test.step('a click arrives, and the console is listed', async () => {
    await page.getByRole('button', { name: /^Console/ }).click()
    await clickAt(page, 250, 180)
    await expect(page.getByRole('region', { name: 'Console of the page' })).toContainText('added 1')
    await expect(tree(page)).toContainText('1 in the cart')
  })

  await test.step('a list and a dialog are drawn by the window', async () => {
    await clickAt(page, 130, 180)
    await page.getByRole('menuitemcheckbox', { name: 'Large' }).click()
    await expect(tree(page)).toContainText('"Large" [selected]')
    await clickAt(page, 100, 250)
    await expect(page.getByRole('dialog', { name: 'Question from the page' })).toContainText('Empty the cart?')
    await page.getByRole('button', { name: 'OK' }).click()
    await expect(tree(page)).toContainText('0 in the cart')
  })

  await test.step('a screenshot is attached, which does not change what the tab shows', async () => {
    const drawn = () => page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
    const before = await drawn()
    await page.getByRole('button', { name: 'Attach a screenshot' }).click()
    await expect(page.getByRole('img', { name: 'page.png' })).toBeVisible()
    await expect.poll(drawn).toBe(before)
    await page.getByRole('button', { name: 'Remove page.png' }).click()
  })

  await checkView(page, 'preview', {}, allThemes)

  await test.step('an element is picked with a note, and sent with its source', async () => {
    await page.getByRole('button', { name: /^Pick an element/ }).click()
    await page.getByRole('application', { name: 'Pick an element' }).hover({ position: { x: 250, y: 180 } })
    await expect(page.locator('.web-preview-target-name')).toContainText('button.add')
    await page.getByRole('application', { name: 'Pick an element' }).click({ position: { x: 250, y: 180 } })
    const element = page.getByRole('list', { name: 'Elements of the page' }).getByRole('listitem')
    await expect(element).toContainText('button "Add to cart"')
    await expect(element).toContainText('src/App.jsx:21')
    await page.getByRole('textbox', { name: 'Note on button "Add to cart"' }).fill('Make it green')
    await checkView(page, 'a picked element', { only: ['.chat'] })
    await send(page, 'Change this')
    await expect(lastAnswer(page)).toContainText('Done.')
    await expect(page.getByRole('group', { name: 'Attachments' })).toContainText('button "Add to cart"')
    const sent = JSON.stringify(endpoint?.requests.at(-1)?.body)
    expect(sent).toContain("The user's note: Make it green")
    expect(sent).toContain('Source: src/App.jsx:21, component App')
    expect(sent).toContain('Selector: ')
  })
})

test('by keyboard alone a person types into the page, picks an element, and refuses another host', async ({
  launch,
}) => {
  const { page, workspace } = await launch({ files: shop, settings: { theme: 'system' } })
  const server = await startVite(workspace)
  servers.push(server)
  await runPalette(page, 'Open page preview')
  await readPage(page, 'button "Add to cart"')

  await test.step('keys arrive in the page', async () => {
    await input(page).focus()
    // The list, then the button.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(tree(page)).toContainText('1 in the cart')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Space')
    await page.getByRole('menuitemcheckbox', { name: 'Large' }).focus()
    await page.keyboard.press('Enter')
    await expect(tree(page)).toContainText('"Large" [selected]')
  })

  await test.step('the arrow keys go through the elements', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.press('e')
    const name = page.locator('.web-preview-target-name')
    await page.keyboard.press('ArrowUp')
    await expect(name).toContainText('select')
    await page.keyboard.press('ArrowUp')
    await expect(name).toContainText('label')
    await page.keyboard.press('ArrowRight')
    await expect(name).toContainText('button.add')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('list', { name: 'Elements of the page' })).toContainText('src/App.jsx:21')
    await expect(input(page)).toBeVisible()
  })

  await test.step('another host is asked for, and not opened', async () => {
    await input(page).focus()
    await page.keyboard.press('Shift+Escape')
    await expect(page.getByRole('textbox', { name: 'Address' })).toBeFocused()
    await page.keyboard.type('example.test/docs')
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Open a page of example.test?' })
    await expect(question).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(question).toHaveCount(0)
    await expect(tree(page)).toContainText('1 in the cart')
  })
})

/** A page with a field for files, which lists what it got. */
const upload = `<!doctype html><html lang="en"><title>Upload</title><body style="margin:150px 40px">
<label>Pictures <input type="file" multiple style="width:300px;height:30px" onchange="show(this.files)"></label><p></p>
<script>
async function show(files) {
  const texts = await Promise.all([...files].map(async (file) => file.name + ': ' + (await file.text())))
  document.querySelector('p').textContent = texts.join(', ')
}
</script></body></html>`

test('a person chooses files of the folder for a field of the page', async ({ launch }) => {
  const { page, workspace } = await launch({
    files: { 'index.html': upload, 'pictures/boat.svg': 'a boat', 'pictures/lamp.svg': 'a lamp', '.env': 'KEY=1' },
    settings: { theme: 'system' },
  })
  servers.push(await startVite(workspace))
  await runPalette(page, 'Open page preview')
  const picker = page.getByRole('dialog', { name: 'Files for the page' })
  const option = (name: string | RegExp) => picker.getByRole('option', { name })
  await readPage(page, 'Pictures')
  await clickAt(page, 150, 165)
  await expect(option(/boat\.svg/)).toBeVisible()
  await expect(option(/\.env/)).toHaveCount(0)
  await checkView(page, 'files for the page', { only: ['.quick-shade'] }, allThemes)

  await test.step('a cancelled choice changes nothing, and the field asks again', async () => {
    await page.keyboard.press('Escape')
    await expect(picker).toHaveCount(0)
    await clickAt(page, 150, 165)
  })
  await option(/boat\.svg/).click()
  await page.keyboard.type('lamp')
  await option(/lamp\.svg/).click()
  await option('Use 2 files').click()
  await expect(tree(page)).toContainText('boat.svg: a boat, lamp.svg: a lamp')
})

test('in a folder that is not trusted no page opens, and the tab says why', async ({ launch }) => {
  const { page } = await launch({ files: { 'a.txt': 'a' }, trust: false })
  await runPalette(page, 'Open page preview')
  await expect(page.getByText('No server runs in this folder')).toBeVisible()
  await page.getByRole('textbox', { name: 'Address' }).fill('5173')
  await page.keyboard.press('Enter')
  await expect(page.locator('.web-preview-failure')).toContainText(
    'This folder is not trusted, so its pages are not opened.',
  )
})
