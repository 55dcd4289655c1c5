import type { Browser } from 'playwright'
import type { Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'
import { shop, startVite } from './support/vite.ts'
import { readPage } from './support/window.ts'

const scenario: Scenario = { name: 'preview-pictures', model: 'qwen2.5-coder:7b', turns: [] }
const settings = { model: { endpointId: 'scripted', model: 'qwen2.5-coder:7b' } }
const viewport = { width: 1280, height: 720 }
const files = { ...shop, '.gitignore': 'node_modules\n' }

/** Takes pictures of the Preview tab: an element is picked, and a page on a phone with its console. */
export async function previewPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(browser, theme, { files, scenario, settings, viewport }, async (page, _git, _endpoint, workspace) => {
    const server = await startVite(workspace)
    try {
      await page.keyboard.press('F1')
      await page.getByRole('combobox', { name: 'Command palette' }).fill('Open page preview')
      await page.keyboard.press('Enter')
      const content = page.getByRole('list', { name: 'Content of the page' })
      await readPage(page, 'Add to cart')
      await page.keyboard.press('Control+b')
      if (theme === 'dark') await page.getByRole('button', { name: 'Show the dark page' }).click()
      const picker = page.getByRole('application', { name: 'Pick an element' })
      const target = page.locator('.web-preview-target-name')
      await page.getByRole('button', { name: /^Pick an element/ }).click()
      await picker.hover({ position: { x: 350, y: 175 } })
      await target.getByText('button.add').waitFor()
      await page.keyboard.press('Shift+Enter')
      await page.getByRole('textbox', { name: 'Note on button "Add to cart"' }).fill('Make it green')
      await picker.hover({ position: { x: 300, y: 120 } })
      await target.getByText(/^p /).waitFor()
      await take(page, 'preview-pick', page.locator('.workbench-body'))
      await picker.focus()
      await page.keyboard.press('Escape')

      await page.getByRole('combobox', { name: 'Size of the page' }).selectOption('Phone')
      await page.getByRole('button', { name: /Console/ }).click()
      // The device fits beside the console.
      await page.waitForFunction(() => {
        const [stage, area] = ['stage', 'area'].map((name) => document.querySelector(`.web-preview-${name}`))
        return stage && area && stage.clientHeight < area.clientHeight
      })
      await content.getByText(/Add to cart/).waitFor({ state: 'attached' })
      await take(page, 'preview', page.locator('.editor-group').first())
    } finally {
      await server.close()
    }
  })
}
