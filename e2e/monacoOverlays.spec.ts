import type { Locator, Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { focusEditor, openFile } from './support/window.ts'
import { overlayProblems } from './support/overlay.ts'

const long = `export const long = '${'wide '.repeat(80)}'`
const files = {
  'src/users.ts': `import { hash } from './hash'

/** Keeps users. */
export function createUser(name: string): string {
  const local = hash(name)
  return local
}
${long}
`,
  'src/hash.ts': '/** Hashes a text. */\nexport function hash(text: string): string {\n  return text\n}\n',
}

/** An overlay of Monaco: how a user opens it, and the box and text to check. */
interface Overlay {
  name: string
  open(page: Page): Promise<void>
  box(page: Page): Locator
  /** Elements whose text needs contrast with the box. Default: the box. */
  text?(page: Page): Locator
  /** Sides that need a border: a peek view has only two. Default: all. */
  border?: 'all' | 'top-bottom'
}

async function goTo(page: Page, line: number, column: number): Promise<void> {
  await page.keyboard.press('Control+g')
  await page.getByRole('combobox').fill(`${line}:${column}`)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /\. Go to line\.$/ })).toHaveText(`Ln ${line}, Col ${column}`)
}

const overlays: Overlay[] = [
  {
    name: 'context menu',
    open: async (page) => {
      await goTo(page, 5, 17)
      await page.keyboard.press('Shift+F10')
    },
    box: (page) => page.locator('.monaco-menu-container .monaco-menu').first(),
    text: (page) => page.locator('.monaco-menu .action-label:visible'),
  },
  {
    name: 'find',
    open: async (page) => {
      await page.keyboard.press('Control+h')
      await page.keyboard.type('local')
    },
    box: (page) => page.locator('.find-widget.visible'),
    text: (page) => page.locator('.find-widget.visible :is(textarea, .matchesCount):visible'),
  },
  {
    name: 'suggest',
    open: async (page) => {
      await goTo(page, 6, 15)
      await page.keyboard.press('Control+Space')
      await expect(page.locator('.suggest-widget .monaco-list-row').first()).toBeVisible()
    },
    box: (page) => page.locator('.suggest-widget.visible'),
    text: (page) => page.locator('.suggest-widget.visible .monaco-list-row .label-name:visible'),
  },
  {
    name: 'hover',
    open: async (page) => {
      await goTo(page, 5, 18)
      await page.keyboard.press('Control+k')
      await page.keyboard.press('Control+i')
      await expect(page.locator('.monaco-hover:not(.hidden)')).toContainText('Hashes a text')
    },
    box: (page) => page.locator('.monaco-resizable-hover, .monaco-hover:not(.hidden)').first(),
    text: (page) => page.locator('.monaco-hover:not(.hidden) .hover-contents :is(p, code):visible'),
  },
  {
    name: 'peek',
    open: async (page) => {
      await goTo(page, 5, 18)
      await page.keyboard.press('Alt+F12')
      await expect(page.locator('.peekview-widget .view-lines')).toContainText('Hashes a text')
    },
    box: (page) => page.locator('.peekview-widget'),
    text: (page) => page.locator('.peekview-widget :is(.filename, .dirname, .view-line > span > span):visible'),
    border: 'top-bottom',
  },
  {
    name: 'rename',
    open: async (page) => {
      await goTo(page, 5, 11)
      await page.keyboard.press('F2')
    },
    box: (page) => page.locator('.monaco-editor.rename-box'),
    text: (page) => page.locator('.monaco-editor.rename-box :is(input, .rename-label):visible'),
  },
  {
    name: 'quick input',
    open: async (page) => {
      await page.keyboard.press('F1')
      await page.getByRole('combobox').fill('Change Tab Display Size')
      await expect(page.getByRole('option').first()).toContainText('Editor: Change Tab Display Size')
      await page.keyboard.press('Enter')
      await expect(page.locator('.quick-input-widget .label-name').first()).toBeVisible()
    },
    box: (page) => page.locator('.quick-input-widget'),
    text: (page) => page.locator('.quick-input-widget .label-name:visible'),
  },
]

const softly = expect.configure({ soft: true, timeout: 5_000 })
const themes = ['dark', 'light'] as const

/** Both themes in the long form. A short run checks the overlays in alternate themes. */
function themesOf(overlay: number): readonly ('dark' | 'light')[] {
  if (process.env['TIZONA_TEST_LONG'] === '1') return themes
  return [overlay % 2 === 0 ? 'dark' : 'light']
}

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>

/** The place of an element. Waits until it is drawn, because Monaco replaces lines when it draws them again. */
async function drawnBox(element: Locator): Promise<Box> {
  let box: Box = { x: 0, y: 0, width: 0, height: 0 }
  await expect(async () => {
    const drawn = await element.boundingBox()
    if (drawn === null) throw new Error('The element is not drawn.')
    box = drawn
  }).toPass()
  return box
}

async function showTheme(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
}

test('overlays of the editor are opaque, legible and inside the view, and long lines end at the minimap', async ({
  launch,
}, info) => {
  const { page } = await launch({ files, settings: { theme: 'system' } })
  await openFile(page, 'src/users.ts')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')

  await test.step('the ends of long lines do not show through the minimap', async () => {
    await showTheme(page, 'dark')
    const canvas = page.locator('.minimap canvas').first()
    await expect(canvas).toBeVisible()
    await expect(canvas).toHaveCSS('opacity', '1')
    // The long line's row, where only the minimap's background may be.
    const line = page.locator('.view-line', { hasText: 'wide wide' })
    const { y, height } = await drawnBox(line)
    const { x, width } = await drawnBox(canvas)
    const strip = await page.screenshot({ clip: { x: x + 4, y: y + 1, width: width - 8, height: height - 2 } })
    expect(await page.evaluate(countColors, strip.toString('base64'))).toBe(1)
  })

  for (const [index, { name, open, box, text, border }] of overlays.entries()) {
    for (const theme of themesOf(index)) {
      await test.step(`${name} has a background and a border, is legible and is inside the view (${theme})`, async () => {
        await showTheme(page, theme)
        await open(page)
        await expect(box(page)).toBeVisible()
        await info.attach(`${name} (${theme})`, {
          body: await page.screenshot({ animations: 'disabled' }),
          contentType: 'image/png',
        })
        // The text of a peek view gets its colors with later frames.
        await softly
          .poll(() => overlayProblems(box(page), text?.(page) ?? box(page), border ?? 'all'), { message: name })
          .toEqual([])
        await page.keyboard.press('Escape')
        await page.keyboard.press('Escape')
        await expect(box(page)).toBeHidden()
      })
    }
  }

  await test.step('the context menu covers the panels around a small editor instead of being cut off', async () => {
    await page.keyboard.press('Control+j')
    await expect(page.getByRole('tab', { name: 'Problems' })).toBeVisible()
    await page.locator('.view-line').nth(6).click({ button: 'right' })
    const menu = page.locator('.monaco-menu-container .monaco-menu').first()
    await expect(menu).toBeVisible()
    expect(await overlayProblems(menu, page.locator('.monaco-menu .action-label:visible'), 'all')).toEqual([])
  })
})

/** Returns the number of colors in a PNG. Runs in the page. */
async function countColors(png: string): Promise<number> {
  const image = new Image()
  image.src = `data:image/png;base64,${png}`
  await image.decode()
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
  if (!context) throw new Error('The page has no 2d canvas.')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  return new Set(new Uint32Array(data.buffer)).size
}
