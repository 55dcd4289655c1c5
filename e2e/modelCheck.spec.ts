import { readFile } from 'node:fs/promises'
import { smallModels } from '../bench/smallModel/models.ts'
import { serveModel } from '../bench/smallModel/endpoint.ts'
import { checkView } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { runPalette } from './support/window.ts'

test('a model is checked: its steps show, a reload keeps the check, the verdict names its defect, and one click applies the settings', async ({
  launch,
}) => {
  const model = smallModels.find(({ id }) => id === 'loops')
  if (!model) throw new Error('The scripted model is missing.')
  const { endpoint } = await serveModel(model)
  try {
    const app = await launch({
      settings: {
        theme: 'system',
        endpoints: [{ id: 's', name: 'Scripted', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      },
    })
    const { page } = app
    await runPalette(page, 'Check my model')
    const view = page.getByRole('region', { name: 'Check my model' })
    await view.getByRole('button', { name: 'Start check' }).click()
    await expect(view.getByRole('heading', { name: 'Checking loops' })).toBeVisible()
    await app.reload()
    const result = app.page.getByRole('region', { name: 'Result of loops' })
    await expect(result.getByText('Usable', { exact: true })).toBeVisible({ timeout: 90_000 })
    await expect(result.getByText('Repetition', { exact: true })).toBeVisible()
    await expect(result.getByRole('row', { name: /^Temperature 0\.5/ })).toBeVisible()
    await result.getByRole('button', { name: 'Apply' }).click()
    await expect(app.page.getByText('Saved the recommended settings for loops.').first()).toBeVisible()
    const settings = await readFile(app.path('../user/settings.json'), 'utf8')
    expect(JSON.parse(settings)).toMatchObject({ endpoints: [{ models: { loops: { temperature: 0.5 } } }] })

    const download = app.page.waitForEvent('download')
    await result.getByRole('button', { name: 'Export Markdown' }).click()
    expect(await readFile(await (await download).path(), 'utf8')).toContain('# loops: usable')
    await checkView(app.page, 'check of a model')
  } finally {
    await endpoint.close()
  }
})
