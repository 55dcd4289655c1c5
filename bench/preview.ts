import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openBrowser } from '../e2e/support/browser.ts'
import { picture } from '../e2e/support/pictures.ts'
import { hotReact, shop, startVite } from '../e2e/support/vite.ts'
import { readPage } from '../e2e/support/window.ts'
import { findChromium } from '../src/main/base/findChromium.ts'
import { folderPorts } from '../src/main/preview/folderPorts.ts'
import { createPreview, type Preview } from '../src/main/preview/preview.ts'
import { processMemory } from './processMemory.ts'
import { median, time, type Row } from './row.ts'

const rounds = 10
const { signal } = new AbortController()
const command = '`npm run bench -- preview`'
const files = { ...shop, ...hotReact }

/** Measures the preview of a page: picking an element, a new snapshot after an edit, and the memory of its browser. */
export async function measure(): Promise<Row[]> {
  const { picks, core, withPage, browser } = await measureWindow()
  const { saves, looks } = await measureSaves()
  return [
    {
      question: 'from the click to the picked element in the composer',
      value: median(picks),
      unit: 'ms',
      how: `window of the browser host, the shop of React 19 on Vite, with its source line and picture; ${listed(picks)}; ${command}`,
    },
    {
      question: 'from the save of a component to the result that says what changed in the page',
      value: median(saves),
      unit: 'ms',
      how: `Vite with Fast Refresh replaces the component; ${listed(saves)}. A look at a page that does not change takes ${median(looks).toFixed(0)} ms, because two looks 150 ms apart must be the same; ${command}`,
    },
    {
      question: 'memory of the preview',
      value: browser,
      unit: 'MB',
      how: `proportional set size of Chromium's processes with the shop in the Preview tab; the process of the core has ${core.toFixed(0)} MB before the page opens, and ${withPage.toFixed(0)} MB with it; ${command}`,
    },
  ]
}

const listed = (values: readonly number[]) =>
  `median of ${values.length}: ${values.map((value) => value.toFixed(0)).join(', ')} ms`

/** Picks the same element again and again in the Preview tab, and measures the memory. */
async function measureWindow() {
  const picks: number[] = []
  let [core, withPage, browserSize] = [0, 0, 0]
  const browser = await openBrowser()
  const setting = {
    files,
    scenario: { name: 'preview-bench', turns: [] },
    settings: {},
    viewport: { width: 1280, height: 720 },
  }
  try {
    await picture(browser, 'dark', setting, async (page, _git, _endpoint, workspace) => {
      const server = await startVite(workspace)
      const host = await processWith(`serve.js\0${workspace}`)
      const coreSize = async () => (await processMemory(host))[0] ?? 0
      try {
        await page.getByRole('treeitem').first().waitFor()
        // The window loads the rest.
        await page.waitForTimeout(5000)
        core = await coreSize()
        await page.keyboard.press('F1')
        await page.getByRole('combobox', { name: 'Command palette' }).fill('Open page preview')
        await page.keyboard.press('Enter')
        await readPage(page, 'Add to cart')
        const picker = page.getByRole('application', { name: 'Pick an element' })
        const elements = page.getByRole('list', { name: 'Elements of the page' }).getByRole('listitem')
        for (let round = 0; round < rounds; round++) {
          await page.getByRole('button', { name: /^Pick an element/ }).click()
          await picker.hover({ position: { x: 350, y: 175 } })
          await page.locator('.web-preview-target-name').waitFor()
          const { x = 0, y = 0 } = (await picker.boundingBox()) ?? {}
          picks.push(
            await time(async () => {
              await page.mouse.click(x + 350, y + 175)
              await elements.first().waitFor()
            }),
          )
          await elements.getByRole('button', { name: /^Remove/ }).click()
        }
        withPage = await coreSize()
        const sizes = await processMemory(await processWith(`/tizona-browser-${host}-`))
        browserSize = sizes.reduce((sum, size) => sum + size, 0)
      } finally {
        await server.close()
      }
    })
  } finally {
    await browser.close()
  }
  return { picks, core, withPage, browser: browserSize }
}

/** Saves a component while its page is open. */
async function measureSaves() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-preview-')))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  const server = await startVite(root)
  const preview = createPreview({
    findBrowser: findChromium,
    isSecret: () => false,
    ports: () => folderPorts([root]),
    publicAddress: () => Promise.reject(new Error('There is no other host.')),
  })
  try {
    await preview.open(new URL(`http://localhost:${server.port}/`), signal)
    const saves: number[] = []
    const looks: number[] = []
    for (let round = 0; round < rounds; round++) {
      looks.push(await time(() => look(preview)))
      const title = `Harbour shop ${round}`
      const text = files['src/App.jsx'].replace('Harbour shop', title)
      saves.push(
        await time(async () => {
          await writeFile(join(root, 'src/App.jsx'), text)
          while (!(await look(preview)).includes(title));
        }),
      )
    }
    return { saves, looks }
  } finally {
    await preview.dispose()
    await server.close()
    await rm(root, { recursive: true, force: true })
  }
}

const look = async (preview: Preview): Promise<string> =>
  (await preview.act(() => Promise.resolve(), signal, { isUse: false })).lines.join('\n')

/** Returns the oldest process whose command line contains a text. */
async function processWith(text: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids.toSorted((a, b) => a - b)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes(text)) return pid
  }
  throw new Error(`No process has ${text} in its command line.`)
}
