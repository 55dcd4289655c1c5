import type { Browser } from 'playwright'
import { answer, call, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { graphicsCard } from './support/graphicsCard.ts'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { lastAnswer, runPalette, send } from './support/window.ts'

const model = 'qwen3-coder:30b'
const scenario: Scenario = {
  name: 'model-pictures',
  model,
  contextWindow: 32_768,
  turns: [
    {
      prompt: /.*/s,
      steps: [
        {
          title: 'read',
          play: () => ({
            ...answer({ kind: 'pause', ms: 1500 }, call('read_file', { path: 'fees.ts' })),
            usage: { promptTokens: 5210, completionTokens: 42 },
          }),
        },
        {
          title: 'tell',
          play: () => ({
            ...answer({ kind: 'pause', ms: 1000 }, say('Small ships pay 20 euros a day, large ones 40.')),
            pace: 40,
            usage: { promptTokens: 5348, completionTokens: 16 },
          }),
        },
      ],
    },
  ],
}

/** Takes pictures of the options of a model, and what a turn took. */
export async function modelPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const files = { 'fees.ts': 'export const fees = { small: 20, large: 40 }\n' }
  const settings = { model: { endpointId: 'scripted', model }, ...withoutServers }
  const viewport = { width: 1280, height: 1000 }
  const chat = { width: 1280, height: 400 }
  const card = await graphicsCard(90)
  try {
    await picture(browser, theme, { files, scenario, settings, viewport }, async (page) => {
      await page.getByRole('treeitem', { name: 'fees.ts' }).waitFor()
      await send(page, 'What do ships pay?')
      await lastAnswer(page)
        .getByText(/large ones/)
        .waitFor()
      await page.setViewportSize(chat)
      for (let presses = 0; presses < 3; presses++)
        await page.getByRole('separator', { name: 'Resize chat panel' }).press('ArrowLeft')
      await page.getByRole('textbox', { name: 'Message', exact: true }).focus()
      // The figures are what this picture shows.
      await page.evaluate(() => document.documentElement.setAttribute('data-figures', ''))
      await page.getByTestId('usage').getByText(/Wh/).waitFor()
      await take(page, 'turn-cost', page.getByRole('log'))
      await page.setViewportSize(viewport)
      await runPalette(page, 'Toggle chat panel')
      await runPalette(page, 'Settings')
      await page.getByRole('button', { name: 'Change Scripted' }).click()
      await page.getByRole('form', { name: 'Change Scripted' }).locator('summary').click()
      const options = page.getByRole('group', { name: 'Model options' })
      await options.getByRole('button', { name: 'Use the samplers that Qwen publishes' }).click()
      await options.evaluate((element) => element.scrollIntoView({ block: 'center' }))
      await take(page, 'model-options', options, 12)
    })
  } finally {
    await card.remove()
  }
}
