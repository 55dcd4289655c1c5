import type { Page } from '@playwright/test'
import { expect, test } from '../support/app.ts'
import { shop, startVite, type ViteServer } from '../support/vite.ts'
import { runPalette } from '../support/window.ts'
import type { Desktop } from './desktop.ts'

// The Preview tab of the desktop: a view of the system above the window's page.

const servers: ViteServer[] = []
test.afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const stage = (page: Page) => page.locator('.web-preview-stage')

/** Waits until the view is where the tab shows the page. */
async function viewInPlace(desktop: Desktop, page: Page): Promise<void> {
  await expect
    .poll(async () => {
      const view = await desktop.view()
      const box = await stage(page).boundingBox()
      const round = (value: number) => Math.round(value)
      return (
        view !== null &&
        box !== null &&
        view.visible &&
        JSON.stringify([view.bounds.x, view.bounds.y, view.bounds.width, view.bounds.height]) ===
          JSON.stringify([round(box.x), round(box.y), round(box.width), round(box.height)])
      )
    })
    .toBe(true)
}

/** The point in the window at a position of the page. */
async function pointOf(page: Page, x: number, y: number): Promise<{ x: number; y: number }> {
  const box = await stage(page).boundingBox()
  if (!box) throw new Error('The tab shows no page.')
  return { x: box.x + x, y: box.y + y }
}

/** Clicks in the page as the user does. */
const clickPage = async (desktop: Desktop, page: Page, x: number, y: number): Promise<void> =>
  desktop.click(await pointOf(page, x, y))

const visible = async (desktop: Desktop): Promise<boolean> => (await desktop.view())?.visible === true
const text = (desktop: Desktop) => desktop.inView('document.body.innerText')

test('a person uses the page in a view of its own, above which nothing of the window is lost', async ({ launch }) => {
  const { page, workspace, desktop } = await launch({ files: shop, settings: { theme: 'system' } })
  if (!desktop) throw new Error('This story is about the desktop.')
  servers.push(await startVite(workspace))
  await runPalette(page, 'Open page preview')

  await test.step('the view is where the tab is, with a session, no Node and no preload script', async () => {
    await viewInPlace(desktop, page)
    await expect.poll(() => text(desktop)).toContain('0 in the cart')
    const view = await desktop.view()
    expect(view).toMatchObject({
      url: expect.stringMatching(/^http:\/\/localhost:\d+\/$/),
      debugged: true,
      webRtcPolicy: 'disable_non_proxied_udp',
      muted: true,
      hasDeviceHandler: true,
      proxy: { proxyRules: expect.stringMatching(/^127\.0\.0\.1:\d+$/), proxyBypassRules: '<-loopback>' },
      webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false },
    })
    // In memory.
    expect(view?.partition).toMatch(/^preview-\d+$/)
    expect(view?.webPreferences.preload).toBeUndefined()
    expect(await desktop.inView('typeof require + typeof process + navigator.userAgent')).not.toMatch(
      /function|object|Electron/,
    )
  })

  await test.step('a click arrives, and the console is listed', async () => {
    await page.getByRole('button', { name: /^Console/ }).click()
    await viewInPlace(desktop, page)
    await clickPage(desktop, page, 250, 180)
    await expect.poll(() => text(desktop)).toContain('1 in the cart')
    await expect(page.getByRole('region', { name: 'Console of the page' })).toContainText('added 1')
  })

  await test.step('a menu above the page hides the view, and the page is in a picture below it', async () => {
    await page.getByRole('button', { name: 'Servers of this folder' }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    await expect.poll(() => visible(desktop)).toBe(false)
    await expect(page.locator('canvas')).not.toHaveAttribute('data-frames', '0')
    await page.keyboard.press('Escape')
    await viewInPlace(desktop, page)
  })

  await test.step('a dialog of the page is one of the window', async () => {
    await clickPage(desktop, page, 100, 250)
    await expect(page.getByRole('dialog', { name: 'Question from the page' })).toContainText('Empty the cart?')
    await expect.poll(() => visible(desktop)).toBe(false)
    await page.getByRole('button', { name: 'OK' }).click()
    await expect.poll(() => text(desktop)).toContain('0 in the cart')
    await viewInPlace(desktop, page)
  })
})
