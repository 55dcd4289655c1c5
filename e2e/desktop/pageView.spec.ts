import type { Page } from '@playwright/test'
import {
  answer,
  call,
  say,
  waitForGate,
  type Scenario,
  type StepInput,
} from '../../src/main/model/scripted/scenario.ts'
import { expect, test } from '../support/app.ts'
import { shop, startVite, type ViteServer } from '../support/vite.ts'
import { lastAnswer, openFile, runPalette, send, tab } from '../support/window.ts'
import type { Desktop } from './desktop.ts'

// The Preview tab of the desktop: a view of the system above the window's page.

/** Buttons that a view must not obey, one below the other. */
const plain = `<!doctype html><title>Plain</title><body style="margin:0">
<style>button { position: absolute; left: 10px; width: 200px; height: 30px }</style>
<button style="top:5px" onclick="window.open('/')">Plain window</button>
<a download="x.txt" href="data:text/plain,x"><button style="top:45px">Download</button></a>
<button style="top:85px" onclick="window.onbeforeunload = (event) => event.preventDefault(); setTimeout(() => { document.title = 'left' }, 300)">Ask</button>
</body>`

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
      // The edges are rounded, so that nothing of the window shows beside the view.
      const span = (from: number, size: number) => [Math.round(from), Math.round(from + size) - Math.round(from)]
      return (
        view !== null &&
        box !== null &&
        view.visible &&
        JSON.stringify([view.bounds.x, view.bounds.width, view.bounds.y, view.bounds.height]) ===
          JSON.stringify([...span(box.x, box.width), ...span(box.y, box.height)])
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
      switches: { 'host-resolver-rules': 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', 'disable-quic': '' },
      hasDeviceHandler: true,
      proxy: { proxyRules: expect.stringMatching(/^127\.0\.0\.1:\d+$/), proxyBypassRules: '<-loopback>' },
      webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, focusOnNavigation: false },
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

  await test.step('an element is picked with its source and a picture', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.press('e')
    await expect.poll(() => visible(desktop)).toBe(false)
    const at = await pointOf(page, 250, 180)
    await page.mouse.move(at.x, at.y)
    await expect(page.locator('.web-preview-target-name')).toContainText('button.add')
    await desktop.click(at)
    const element = page.getByRole('list', { name: 'Elements of the page' }).getByRole('listitem')
    await expect(element).toContainText('src/App.jsx:21')
    await expect(element.getByRole('img')).toBeVisible()
    await viewInPlace(desktop, page)
  })
})

test('the view follows its tab, and what the page asks for stays within it', async ({ launch }) => {
  const files = { ...shop, 'plain.html': plain, 'a.txt': 'a' }
  const { page, workspace, desktop } = await launch({ files, settings: { theme: 'system' } })
  if (!desktop) throw new Error('This story is about the desktop.')
  const server = await startVite(workspace)
  servers.push(server)
  await runPalette(page, 'Open page preview')
  await viewInPlace(desktop, page)

  await test.step('it moves with the layout, the size of the window and its zoom', async () => {
    const before = (await desktop.view())?.bounds
    await desktop.changeWindow({ bounds: { x: 0, y: 0, width: 1100, height: 700 } })
    await expect.poll(async () => (await desktop.view())?.bounds.width).not.toBe(before?.width)
    await viewInPlace(desktop, page)
    await page.getByRole('combobox', { name: 'Zoom' }).selectOption('50 %')
    await expect
      .poll(() => desktop.inView('innerWidth'))
      .toBe(Math.floor(((await stage(page).boundingBox())?.width ?? 0) * 2))
    await viewInPlace(desktop, page)
    await page.getByRole('combobox', { name: 'Zoom' }).selectOption('Fit')
    await runPalette(page, 'Toggle sidebar')
    await viewInPlace(desktop, page)
    await desktop.zoomWindow(1.5)
    await expect
      .poll(async () => (await desktop.view())?.bounds.width)
      .toBe(Math.round(((await stage(page).boundingBox())?.width ?? 0) * 1.5))
    await desktop.zoomWindow(1)
    await viewInPlace(desktop, page)
    const { width } = (await desktop.view())?.bounds ?? { width: 0 }
    await desktop.clickMenu('View', 'Zoom In')
    await expect.poll(async () => (await desktop.view())?.bounds.width).toBeGreaterThan(width)
    await desktop.clickMenu('View', 'Actual Size')
    await viewInPlace(desktop, page)
  })

  await test.step('another tab, a phone larger than the tab and a reload of the window hide it', async () => {
    await openFile(page, 'a.txt')
    await expect.poll(() => visible(desktop)).toBe(false)
    await tab(page, 'Preview').click()
    await viewInPlace(desktop, page)
    await page.getByRole('combobox', { name: 'Size of the page' }).selectOption('Phone')
    await page.getByRole('combobox', { name: 'Zoom' }).selectOption('200 %')
    await expect.poll(() => visible(desktop)).toBe(false)
    await page.getByRole('combobox', { name: 'Zoom' }).selectOption('Fit')
    await viewInPlace(desktop, page)
    await expect.poll(() => desktop.inView('innerWidth')).toBe(390)
    await page.getByRole('combobox', { name: 'Size of the page' }).selectOption('Responsive')
    await viewInPlace(desktop, page)
  })

  await test.step('shortcuts of the window work in the page, and Shift+Escape leaves it', async () => {
    await clickPage(desktop, page, 20, 20)
    await expect.poll(async () => (await desktop.view())?.focused).toBe(true)
    await expect(page.getByRole('textbox', { name: 'Page', exact: true })).toBeFocused()
    await desktop.press('Shift+Escape')
    await expect(page.getByRole('textbox', { name: 'Address' })).toBeFocused()
    await expect.poll(async () => (await desktop.view())?.focused).toBe(false)
    await page.keyboard.press('F6')
    await page.getByRole('textbox', { name: 'Page', exact: true }).focus()
    await expect.poll(async () => (await desktop.view())?.focused).toBe(true)
    await desktop.press('Control+p')
    const box = page.getByRole('combobox', { name: 'Go to' })
    await expect(box).toBeFocused()
    await expect.poll(() => visible(desktop)).toBe(false)
    await page.keyboard.press('Escape')
    await viewInPlace(desktop, page)
  })

  await test.step('windows, downloads and questions before leaving are refused', async () => {
    const address = page.getByRole('textbox', { name: 'Address' })
    await address.fill(`localhost:${server.port}/plain.html`)
    await address.press('Enter')
    await expect.poll(() => text(desktop)).toContain('Plain')
    await viewInPlace(desktop, page)
    await clickPage(desktop, page, 60, 20)
    await clickPage(desktop, page, 60, 60)
    await clickPage(desktop, page, 60, 100)
    await expect.poll(() => desktop.inView('document.title')).toBe('left')
    expect((await desktop.windows()).flatMap(({ views }) => views)).toHaveLength(1)
    await address.fill(`localhost:${server.port}/`)
    await address.press('Enter')
    await expect.poll(() => text(desktop)).toContain('0 in the cart')
  })

  await test.step('after a crash the tab says so, and the page opens again in an empty view', async () => {
    const before = await desktop.view()
    await desktop.crashView()
    await expect(page.getByText('The page crashed, so its browser was ended.')).toBeVisible()
    await expect.poll(async () => desktop.view()).toBe(null)
    await page.getByRole('textbox', { name: 'Address' }).press('Enter')
    await viewInPlace(desktop, page)
    expect((await desktop.view())?.id).not.toBe(before?.id)
    await expect.poll(() => text(desktop)).toContain('0 in the cart')
  })

  await test.step('the closed tab leaves the page to the model, and closing the folder ends it', async () => {
    await page.keyboard.press('Control+w')
    await expect(stage(page)).toHaveCount(0)
    await expect.poll(() => visible(desktop)).toBe(false)
    await runPalette(page, 'Close folder')
    await expect.poll(async () => desktop.view()).toBe(null)
  })
})

/** Returns the reference of an element in the latest result of a tool. */
const ref = (seen: StepInput, tool: string, element: RegExp): string =>
  seen.expect(tool, new RegExp(`${element.source}.*\\[ref=(\\w+)\\]`), `the element ${element.source}`)[1] ?? ''

/** The steps of a model that tries what a page may not do. */
const visitor: Scenario = {
  name: 'visitor',
  turns: [
    {
      prompt: /^Try \S+$/,
      steps: [
        { title: 'open', play: ({ prompt }) => answer(call('browser_open', { url: prompt.split(' ').at(-1) ?? '' })) },
        {
          title: 'open a window',
          play: (seen) => answer(call('browser_click', { ref: ref(seen, 'browser_open', /button "Plain window"/) })),
        },
        {
          title: 'download',
          play(seen) {
            seen.expect('browser_click', /Closed: a window that the page opened, http:/, 'the refused window')
            return answer(call('browser_click', { ref: ref(seen, 'browser_open', /button "Download"/) }))
          },
        },
        {
          title: 'evaluate',
          play(seen) {
            seen.expect('browser_click', /Refused: a download of x\.txt/, 'the refused download')
            return answer(call('browser_evaluate', { expression: 'document.visibilityState + " " + innerWidth' }))
          },
        },
        {
          title: 'tell',
          play(seen) {
            const [line] = seen.expect('browser_evaluate', /visible 1280/, 'the state of the page')
            return answer(say(`The page is ${line}`))
          },
        },
      ],
    },
  ],
}

test('a model uses the page in a view that no tab shows', async ({ launch }) => {
  const { page, workspace, desktop } = await launch({
    files: { 'index.html': plain },
    settings: { mode: 'yolo', toolset: 'blade' },
    scenario: visitor,
  })
  if (!desktop) throw new Error('This story is about the desktop.')
  const server = await startVite(workspace)
  servers.push(server)
  await send(page, `Try http://localhost:${server.port}/`)
  await expect(lastAnswer(page)).toContainText('The page is visible 1280')
  expect(await desktop.view()).toMatchObject({ visible: false, debugged: true })
})

/** The steps of a model that opens the page, and opens it again while its window is closed. */
const keeper: Scenario = {
  name: 'keeper',
  turns: [
    {
      prompt: /^Keep \S+$/,
      steps: [
        { title: 'open', play: ({ prompt }) => answer(call('browser_open', { url: prompt.split(' ').at(-1) ?? '' })) },
        {
          title: 'open again',
          play: ({ prompt }) =>
            answer(
              say('Opened.'),
              waitForGate('closed'),
              call('browser_open', { url: prompt.split(' ').at(-1) ?? '' }),
            ),
        },
        {
          title: 'draw',
          play: () =>
            answer(
              call('browser_evaluate', {
                expression: 'new Promise((resolve) => requestAnimationFrame(() => resolve("It draws frames.")))',
              }),
            ),
        },
        {
          title: 'tell',
          play(seen) {
            const [line] = seen.expect('browser_evaluate', /It draws frames\./, 'a frame')
            return answer(say(line), waitForGate('shown'))
          },
        },
      ],
    },
  ],
}

test('a page whose window is closed ends, and the model opens it again in a browser without a window', async ({
  launch,
}) => {
  const app = await launch({
    files: { 'index.html': plain },
    settings: { mode: 'yolo', toolset: 'blade', sessions: { folder: '', keepRunning: true } },
    scenario: keeper,
  })
  const { desktop } = app
  if (!desktop) throw new Error('This story is about the desktop.')
  const server = await startVite(app.workspace)
  servers.push(server)
  await send(app.page, `Keep http://localhost:${server.port}/`)
  await expect(lastAnswer(app.page)).toContainText('Opened.')
  expect(await desktop.view()).toMatchObject({ debugged: true })
  await desktop.closeWindow()
  await expect.poll(async () => (await desktop.effects()).at(-1)?.kind).toBe('tray')
  app.endpoint?.release('closed')
  await expect.poll(() => JSON.stringify(app.endpoint?.requests), { timeout: 30_000 }).toContain('It draws frames.')
  await desktop.clickTray()
  await expect.poll(async () => (await desktop.windows()).length).toBe(1)
  const [shown] = await desktop.windows()
  const page = await desktop.pageOf(shown?.id ?? 0)
  await expect(lastAnswer(page)).toContainText('It draws frames.')
  expect(await desktop.view()).toBe(null)
  app.endpoint?.release('shown')
})
