import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { longText } from '../e2e/scenarios/longAnswer.ts'
import { createConversationStore } from '../src/main/history/conversations.ts'
import { openDatabase } from '../src/main/history/database.ts'
import { startBrowserHost } from './browserHost.ts'
import { median, type Row } from './row.ts'

const rounds = 5
const items = 10_000
const lastText = 'The last answer of the long conversation.'

/** Measures how long opening a conversation of 10,000 items takes, and its memory in the window. */
export async function measure(): Promise<Row[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-conversation-')))
  const workspace = join(home, 'workspace')
  const userData = join(home, 'user')
  await mkdir(workspace)
  await fill(userData, workspace)
  await trustFolder(userData, workspace)
  const browser = await openBrowser()
  const server = startBrowserHost(workspace, userData)
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(await printedAddress(server))
    await page.getByText('A short answer.').waitFor()
    const before = await heap(page)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      times.push(await open(page, 'Long', lastText))
      if (round < rounds - 1) await open(page, 'Short', 'A short answer.')
    }
    const after = await heap(page)
    const scroller = page.getByRole('log', { name: 'Conversation' })
    await scroller.hover()
    for (let scrolled = 0; scrolled < 20; scrolled++) {
      await page.mouse.wheel(0, -100_000)
      await page.waitForTimeout(500)
    }
    const shown = await page.locator('.chat-item').count()
    const scrolledUp = await heap(page)
    return [
      {
        question: `opening a conversation of ${items.toLocaleString('en')} items, from the click until its last answer is painted`,
        value: median(times),
        unit: 'ms',
        goal: 200,
        how: `median of ${rounds}: ${times.map((time) => time.toFixed(0)).join(', ')} ms, the first with reading it from the store; \`npm run bench -- conversation\``,
      },
      {
        question: 'memory of the window for it',
        value: after - before,
        unit: 'MB',
        how: `used JavaScript heap after a collection, against a conversation of 2 items; ${(scrolledUp - before).toFixed(1)} MB after scrolling up to ${shown} items; \`npm run bench -- conversation\``,
      },
    ]
  } finally {
    await browser.close()
    await end(server)
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function fill(userData: string, workspace: string): Promise<void> {
  const { db } = await openDatabase(userData)
  const store = createConversationStore(db)
  const now = Date.now()
  const save = (id: string, title: string, at: number): void =>
    store.save({ id, title, createdAt: at, updatedAt: at, workspace, mode: 'safe', toolset: 'blade' })
  const answer = (id: string, text: string) =>
    ({ id, kind: 'assistant', at: now, text, reasoning: '', state: 'done' }) as const
  save('long', 'Long', now - 1000)
  store.saveItems(
    'long',
    Array.from({ length: items / 2 }, (_, index) => [
      { id: `u${index}`, kind: 'user' as const, at: now, text: `Question ${index}` },
      answer(`a${index}`, index === items / 2 - 1 ? lastText : longText.slice(0, 300 + (index % 7) * 400)),
    ]).flat(),
  )
  save('short', 'Short', now)
  store.saveItems('short', [{ id: 'u', kind: 'user', at: now, text: 'Hello' }, answer('a', 'A short answer.')])
  db.close()
}

/** Opens a conversation from the list. @returns milliseconds from the click until a frame shows `text` */
async function open(page: Page, title: string, text: string): Promise<number> {
  await page.getByRole('button', { name: 'Past conversations' }).click()
  const entry = page.getByRole('region', { name: 'Past conversations' }).getByRole('button', {
    name: new RegExp(`^${title}`),
  })
  await entry.waitFor()
  await page.evaluate(watchText, text)
  await entry.click()
  await page.waitForFunction(() => 'textSeen' in globalThis, undefined, { timeout: 60_000 })
  return page.evaluate(seenTime)
}

/** Runs in the page. */
function watchText(text: string): void {
  addEventListener(
    'click',
    (event) => {
      const look = () => {
        if (document.querySelector('.chat-content')?.textContent.includes(text))
          setTimeout(() => Object.assign(globalThis, { textSeen: performance.now() - event.timeStamp }))
        else requestAnimationFrame(look)
      }
      look()
    },
    { capture: true, once: true },
  )
}

/** Runs in the page. */
function seenTime(): number {
  // Set by `watchText`.
  const scope = globalThis as unknown as { textSeen?: number }
  const time = scope.textSeen ?? Number.NaN
  delete scope.textSeen
  return time
}

/** Returns the used JavaScript heap of the window in MB. */
async function heap(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize / 1024 ** 2
}
