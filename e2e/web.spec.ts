import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { startSite, type Site } from './support/site.ts'
import { allowOnce, approval, cardIs, lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

let site: Site
test.beforeEach(async () => {
  site = await startSite(
    '<!doctype html><title>Tides</title><main><h1>Tides of Vigo</h1><p>High water at six.</p></main>',
  )
})
test.afterEach(() => site.close())

/** Opens the web settings. */
async function openWebSettings(page: Page) {
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  return page.getByRole('region', { name: 'Web', exact: true })
}

test('a page on the local network is refused until the user configures its server, and each fetch requires approval in safe mode', async ({
  launch,
}) => {
  const { page } = await launch({
    files: { 'a.txt': 'a' },
    scenario: scenarios.fetchPage,
    settings: { toolset: 'rustant', mode: 'safe' },
  })
  await send(page, `fetch: ${site.origin}/tides`)
  await expect(await approval(page)).toContainText(`${site.origin}/tides`)
  await allowOnce(page)
  const refused = await cardIs(page, 'web_fetch', 'failed')
  await expect(refused).toContainText('is not on the public internet')
  await expect(refused).toContainText(`Only the user can allow ${site.origin}, in Settings under Web.`)
  expect(site.requestedPaths).toEqual([])

  const settings = await openWebSettings(page)
  await settings.getByRole('combobox', { name: 'Search engine' }).selectOption('SearXNG')
  const address = settings.getByRole('textbox', { name: 'SearXNG server URL' })
  await address.fill(site.origin)
  await address.press('Enter')

  await send(page, `fetch: ${site.origin}/tides`)
  await approval(page)
  expect(site.requestedPaths).toEqual([])
  await allowOnce(page)
  await cardIs(page, 'web_fetch', 'done')
  await expect(lastAnswer(page)).toContainText('Tides of Vigo')
  expect(site.requestedPaths).toEqual(['/tides'])
})

test('with web access off, nothing is fetched and no approval is requested', async ({ launch }) => {
  const { page } = await launch({
    files: { 'a.txt': 'a' },
    scenario: scenarios.fetchPage,
    settings: { toolset: 'rustant', mode: 'safe' },
  })
  const settings = await openWebSettings(page)
  const enabled = settings.getByRole('checkbox', { name: 'Allow tools to use the web' })
  await enabled.click()
  await expect(enabled).not.toBeChecked()
  await send(page, `fetch: ${site.origin}/tides`)
  await expect(await cardIs(page, 'web_fetch', 'failed')).toContainText('The user turned off web access')
  await expect(page.getByTestId('approval-card')).toHaveCount(0)
  expect(site.requestedPaths).toEqual([])
})
