import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Locator, type Page } from 'playwright'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { notPrepared, startRealServer } from '../src/main/testing/real/realServers.ts'
import type { Row } from './row.ts'

/** Time limit of a step in milliseconds. */
const stepMs = 300_000
const goalSeconds = 180

/**
 * Follows the first steps with a real llama-server and SmolLM2-135M: from the first paint of a window with an empty
 * user data folder to the first change that is kept. Without the server (`npm run real`), nothing is measured.
 */
export async function measure(): Promise<Row[]> {
  const missing = await notPrepared('llama-server')
  if (missing !== undefined) {
    console.log(`not run: ${missing}`)
    return []
  }
  const server = await startRealServer('llama-server')
  const home = await mkdtemp(join(tmpdir(), 'tizona-first-edit-'))
  const userData = join(home, 'user')
  await mkdir(userData)
  const host = spawn(process.execPath, [join(import.meta.dirname, '..', 'out/main/serve.js'), '--no-open'], {
    // Tizona looks for servers at this address and on the usual ports.
    env: { ...process.env, HOME: home, TIZONA_USER_DATA: userData, OLLAMA_HOST: new URL(server.baseUrl).host },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const executablePath = process.env['TIZONA_BROWSER']
  const browser = await chromium.launch({ args: ['--no-sandbox'], ...(executablePath && { executablePath }) })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(stepMs)
    await page.goto(await printedAddress(host))
    const { seconds, clicks, keys } = await followSteps(page)
    const text = await readFile(join(home, 'tizona-sample', 'package.json'), 'utf8')
    if (!text.includes('"name": "harbour-shop"')) throw new Error(`The change that was kept is another one:\n${text}`)
    return [
      {
        question: `first paint to the first kept change, ${server.model}`,
        value: seconds,
        unit: 's',
        goal: goalSeconds,
        how: `no reading time; ${clicks} clicks, ${keys} keystroke`,
      },
    ]
  } finally {
    await browser.close()
    await end(host)
    await server.stop()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function followSteps(page: Page): Promise<{ seconds: number; clicks: number; keys: number }> {
  const counts = { clicks: 0, keys: 0 }
  const click = async (button: Locator) => {
    counts.clicks += 1
    await button.click()
    console.log(`${(await sincePaint(page)).toFixed(1)} s: click ${counts.clicks}`)
  }
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText(/^Ready: /).waitFor()
  await click(steps.getByRole('button', { name: 'Check model' }))
  await steps.getByText(/The first answer took/).waitFor()
  await click(steps.getByRole('button', { name: 'Open sample folder' }))
  await click(steps.getByRole('button', { name: /Change name to harbour-shop/ }))
  await page.keyboard.press('Enter')
  counts.keys += 1
  await click(page.getByRole('button', { name: 'Allow once' }))
  await click(steps.getByRole('button', { name: 'Review changes' }))
  await click(page.getByRole('button', { name: /^Keep/ }).first())
  await steps.getByText(/You kept your first change/).waitFor()
  return { seconds: await sincePaint(page), ...counts }
}

/** Returns the seconds since the first paint of the page. */
async function sincePaint(page: Page): Promise<number> {
  return page.evaluate(
    () => (performance.now() - (performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)) / 1000,
  )
}
