import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { existsSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../base/findChromium.ts'
import { folderPorts } from './folderPorts.ts'
import { createPageBrowser } from './pageBrowser.ts'
import type { PageHost } from './pageHost.ts'
import { createPageLog } from './pageLog.ts'
import { createPreview, type PreviewDeps } from './preview.ts'
import { createReach } from './reach.ts'
import { startFolderServer, type FolderServer } from './testing/folderServer.ts'

// How a real Chromium starts and ends.

let folder: FolderServer
const { signal } = new AbortController()
const deps: PreviewDeps = {
  findBrowser: findChromium,
  isSecret: () => false,
  ports: () => folderPorts([folder.root]),
  publicAddress: () => Promise.reject(new Error('There is no other host.')),
}

/** A time limit that passes at once. */
function shortly(): AbortSignal {
  const limit = new AbortController()
  setImmediate(() => limit.abort())
  return limit.signal
}

beforeAll(async () => {
  folder = await startFolderServer({ 'form.html': '<title>Form</title>' })
})
afterAll(() => folder.close())
afterEach(() => vi.restoreAllMocks())
beforeEach(({ skip }) => {
  if (findChromium() === null) skip('There is no Chromium on this machine.')
})

test('the profile of a killed process is deleted, and that of a running one stays', async () => {
  const [left, used] = [`tizona-browser-4194400-${folder.port}`, `tizona-browser-${process.ppid}-${folder.port}`].map(
    (name) => join(tmpdir(), name),
  )
  if (left === undefined || used === undefined) throw new Error('There are two.')
  for (const each of [left, used]) await mkdir(each)
  const another = createPreview(deps)
  await another.open(new URL(`${folder.url}form.html`), signal)
  await another.dispose()
  expect(existsSync(left)).toBe(false)
  expect(existsSync(used)).toBe(true)
  await rmdir(used)
})

test('a browser that ends at once is reported with the reason', async () => {
  const broken = createPreview({ ...deps, findBrowser: () => '/bin/false' })
  await expect(broken.open(new URL(folder.url), signal)).rejects.toThrow('The browser did not start.')
  await broken.dispose()
})

test('a view that does not open fails the call, blocks no later one, and is ended if it opens late', async () => {
  const late = Promise.withResolvers<PageHost>()
  const openView = vi.fn(() => late.promise)
  const browser = createPageBrowser({
    findBrowser: () => null,
    pageViews: { isAvailable: () => true, open: openView },
    reach: createReach(deps),
    log: createPageLog({ onChanged: () => undefined, person: () => undefined, showsSecret: () => false }),
    onPage: () => undefined,
    onUsed: () => undefined,
  })
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(shortly)
  await expect(browser.toUse()).rejects.toThrow('The browser did not start.')
  await expect(browser.toUse()).rejects.toThrow('The browser did not start.')
  expect(openView).toHaveBeenCalledTimes(2)
  const end = vi.fn(async () => undefined)
  late.resolve({
    transport: { send: () => undefined, close: () => undefined },
    ended: new Promise(() => undefined),
    lastLine: () => '',
    end,
  })
  await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(2))
  await browser.end()
})

test('a page that blocks its thread ends with its browser, and the next page opens', { timeout: 60_000 }, async () => {
  const preview = createPreview(deps)
  await folder.write('page.html', '<button onclick="for (;;);">Block</button>')
  await preview.open(new URL(`${folder.url}page.html`), signal)
  await expect(preview.act((page) => page.locator('button').click(), signal)).rejects.toThrow(
    'The page does not respond, so its browser was ended.',
  )
  await expect(preview.snapshot(signal)).rejects.toThrow('No page is open.')
  expect(await preview.open(new URL(`${folder.url}form.html`), signal)).toMatchObject({ isNew: true })
  await preview.dispose()
})
