import { expect, test } from './support/app.ts'
import { focusEditor, openFile } from './support/window.ts'

/** A red square of two pixels. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
)

test('previews show Markdown as it is typed, tables, images, and the bytes of other files', async ({ launch }) => {
  const { page } = await launch({
    files: {
      'docs/guide.md': '# Guide\n\n![red](../red.png) ![far](https://example.com/x.png)\n\n<b>raw</b>\n',
      'notes.md': [
        'Let $a^2 + b^2 = c^2$, for $5 or $10.',
        '```mermaid\nflowchart LR\n  A["<img src=https://example.com/x.png>"] --> B\n```',
        '```mermaid\ngantt\n  title x\n```',
      ].join('\n\n'),
      'red.png': png,
      'ships.csv': 'name,year\n"Ada, the first",1990\nBea,1991\n',
      'broken.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
      'data.bin': Buffer.from([0, 1, 2, 0x41, 0x42]),
    },
  })
  await openFile(page, 'guide.md')
  await focusEditor(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.press('v')
  const preview = page.getByRole('region', { name: 'Preview of guide.md' })
  await expect(preview.getByRole('heading', { name: 'Guide' })).toBeVisible()
  await expect(preview.getByRole('img', { name: 'red' })).toHaveJSProperty('naturalWidth', 2)
  await expect(preview).toContainText('Not loaded from example.com')
  await expect(preview.locator('b')).toHaveCount(0)
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('New ')
  await expect(preview).toContainText('New # Guide')

  const explorer = page.getByRole('tree', { name: 'Files' })
  await explorer.getByRole('treeitem', { name: 'red.png' }).click()
  await expect(page.getByText('2 × 2 · 73 bytes')).toBeVisible()
  await page.getByRole('button', { name: 'Actual size' }).click()
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await expect(page.getByText('150%')).toBeVisible()
  await explorer.getByRole('treeitem', { name: 'broken.png' }).click()
  await expect(page.getByText('The image could not be shown')).toBeVisible()
  await explorer.getByRole('treeitem', { name: 'data.bin' }).click()
  await page.getByRole('button', { name: 'Show bytes' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: '00000000' })).toContainText('00 01 02 41 42')

  await explorer.getByRole('treeitem', { name: 'ships.csv' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Open preview' }).click()
  const table = page.getByRole('table', { name: 'ships.csv' })
  await expect(table.getByRole('cell', { name: 'Ada, the first' })).toBeVisible()
  await expect(page.getByText('2 rows, 2 columns')).toBeVisible()

  await test.step('formulas and diagrams of Markdown are drawn without the network, and those that cannot be show why', async () => {
    await openFile(page, 'notes.md')
    await focusEditor(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.press('v')
    const drawn = page.getByRole('region', { name: 'Preview of notes.md' })
    await expect(drawn.locator('.katex')).toHaveCount(1)
    await expect(drawn).toContainText('for $5 or $10')
    const diagram = drawn.getByRole('img', { name: 'Diagram: flowchart LR' })
    await expect(diagram).toBeVisible()
    expect(await diagram.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(50)
    await expect(drawn).toContainText('Diagrams of type "gantt" are not supported.')
    await drawn.getByRole('button', { name: 'Show source' }).click()
    await expect(drawn.getByText('--> B')).toBeVisible()
  })
})
