import type { Browser } from 'playwright'
import { serveModel } from '../bench/smallModel/endpoint.ts'
import { smallModels } from '../bench/smallModel/models.ts'
import { picture, type Take } from './support/pictures.ts'
import { runPalette } from './support/window.ts'

/** Takes a picture of the page "Check my model" with the result of a scripted model. */
export async function modelCheckPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const model = smallModels.find(({ id }) => id === 'loops')
  if (!model) throw new Error('The scripted model is missing.')
  // A name that readers know. The model is still the scripted one.
  const { endpoint } = await serveModel({ ...model, id: 'qwen3:4b' })
  try {
    await picture(
      browser,
      theme,
      {
        files: { 'readme.md': '# Harbour\n' },
        scenario: { name: 'model-check', turns: [] },
        settings: {
          endpoints: [{ id: 's', name: 'Ollama', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
          model: { endpointId: 's', model: 'qwen3:4b' },
        },
        viewport: { width: 1280, height: 900 },
      },
      async (page) => {
        await page.getByRole('treeitem', { name: /readme/ }).waitFor()
        await runPalette(page, 'Check my model')
        await page.getByRole('button', { name: 'Start check' }).click()
        await page.getByRole('region', { name: 'Result of qwen3:4b' }).waitFor({ timeout: 120_000 })
        await take(page, 'check-model', page.locator('.workbench'))
      },
    )
  } finally {
    await endpoint.close()
  }
}
