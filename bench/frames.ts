import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { longAnswer, longText } from '../e2e/scenarios/longAnswer.ts'
import { createConversationStore } from '../src/main/history/conversations.ts'
import { openDatabase } from '../src/main/history/database.ts'
import { startScriptedEndpoint } from '../src/main/model/scripted/scriptedEndpoint.ts'
import { startBrowserHost } from './browserHost.ts'
import { longestFrameOf } from './pageFrames.ts'
import { median, type Row } from './row.ts'
import { trustFolder } from '../e2e/support/trust.ts'

const rounds = 5

/**
 * Measures dropped frames while an answer streams into a long conversation, compared with a page that only animates.
 */
export async function measure(): Promise<Row[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-frames-')))
  const workspace = join(home, 'workspace')
  const userData = join(home, 'user')
  await mkdir(workspace)
  const endpoint = await startScriptedEndpoint(longAnswer)
  await fill(userData, workspace)
  await trustFolder(userData, workspace)
  await writeFile(
    join(userData, 'settings.json'),
    JSON.stringify({
      endpoints: [{ id: 'scripted', name: 'Scripted', kind: 'openai', baseUrl: endpoint.url }],
      model: { endpointId: 'scripted', model: 'scripted' },
    }),
  )
  const browser = await openBrowser()
  const server = startBrowserHost(workspace, userData)
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(await printedAddress(server))
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.waitFor()
    const ours: number[] = []
    const empty: number[] = []
    for (let round = 0; round < rounds; round++) {
      const seconds = await stream(page, ours)
      empty.push(await longestOfEmptyPage(context, seconds))
    }
    const value = median(ours) / median(empty)
    return [
      {
        question: 'longest frame of a streamed turn of 2,000 tokens, 200 messages, against an empty animated page',
        value,
        unit: '×',
        goal: 1.5,
        how: `medians of the longest frame in ${rounds} turns: ${median(ours).toFixed(1)} ms against ${median(empty).toFixed(1)} ms; software rendering`,
      },
    ]
  } finally {
    await browser.close()
    await end(server)
    await endpoint.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Creates a conversation of 100 questions and answers of varied length. */
async function fill(userData: string, workspace: string): Promise<void> {
  const { db } = await openDatabase(userData)
  const store = createConversationStore(db)
  const now = Date.now()
  store.save({
    id: 'long',
    title: 'Long',
    createdAt: now,
    updatedAt: now,
    workspace,
    mode: 'safe',
    toolset: 'blade',
    model: { endpointId: 'scripted', model: 'scripted' },
  })
  for (let index = 0; index < 100; index++) {
    store.saveItem('long', { id: `u${index}`, kind: 'user', at: now, text: `Question ${index}` })
    store.saveItem('long', {
      id: `a${index}`,
      kind: 'assistant',
      at: now,
      text: longText.slice(0, 300 + (index % 7) * 400),
      reasoning: '',
      state: 'done',
    })
  }
  db.close()
}

/** Sends a message and records frames until the answer is complete. @returns the duration in seconds */
async function stream(page: Page, longest: number[]): Promise<number> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  let seconds = 0
  const frame = await longestFrameOf(page, async () => {
    const started = performance.now()
    await field.fill('Tell me')
    await field.press('Enter')
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached', timeout: 120_000 })
    seconds = (performance.now() - started) / 1000
  })
  longest.push(frame)
  return seconds
}

async function longestOfEmptyPage(context: BrowserContext, seconds: number): Promise<number> {
  const page = await context.newPage()
  await page.setContent(
    `<style>@keyframes turn { to { rotate: 1turn } } div { width: 100px; height: 100px; background: #888; animation: turn 1s linear infinite }</style><div></div>`,
  )
  const longest = await longestFrameOf(page, () => page.waitForTimeout(seconds * 1000))
  await page.close()
  return longest
}
