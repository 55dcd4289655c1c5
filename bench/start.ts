import { gzipSync } from 'node:zlib'
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { openBrowser } from '../e2e/support/browser.ts'
import { startBrowserHost } from './browserHost.ts'
import { median, type Row } from './row.ts'
import { makeTree } from './tree.ts'
import { trustFolder } from '../e2e/support/trust.ts'

const root = join(import.meta.dirname, '..')

/** Measures the time from process start to a responsive window, and the size of the scripts that load before Monaco. */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(2_000)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  await trustFolder(userData, tree.root)
  const browser = await openBrowser()
  const times: number[] = []
  let script = 0
  try {
    for (let round = 0; round < 5; round++) {
      const context = await browser.newContext()
      const page = await context.newPage()
      const scripts: Promise<number>[] = []
      let open = true
      page.on('response', (response) => {
        if (open && response.url().endsWith('.js')) scripts.push(response.body().then((body) => gzipSync(body).length))
      })
      const started = performance.now()
      const server = startBrowserHost(tree.root, userData)
      try {
        await page.goto(await printedAddress(server), { waitUntil: 'commit' })
        // Responsive: the explorer shows the folder and handles a key.
        await page.getByRole('treeitem').first().waitFor()
        times.push(performance.now() - started)
        open = false
        script = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
      } finally {
        await context.close()
        await end(server)
      }
    }
  } finally {
    await browser.close()
    await tree.remove()
    await rm(userData, { recursive: true, force: true })
  }
  const html = await readFile(join(root, 'out/renderer/index.html'), 'utf8')
  const entries = [...html.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '')
  return [
    {
      question: 'start to interactive of the browser shell',
      value: median(times) / 1000,
      unit: 's',
      goal: 1,
      how: `process start to the first row of the explorer, median of ${times.length}, 2,000 files`,
    },
    {
      question: 'script loaded before the window is interactive, gzip',
      value: script / 1024,
      unit: 'KB',
      goal: 250,
      how: `every .js the page had fetched by then; ${entries.length} named in index.html`,
    },
  ]
}
