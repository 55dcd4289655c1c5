import type { Page } from 'playwright'
import { say, step, call, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { openBrowser } from '../e2e/support/browser.ts'
import { picture } from '../e2e/support/pictures.ts'
import { focusEditor, lastAnswer, openFile, send } from '../e2e/support/window.ts'
import { median, type Row } from './row.ts'
import { percentile, typeAndMeasure } from './typing/keys.ts'

const smallFiles = 200
const keys = 60
const line = 'export const value = compute(1, 2, 3) // a line of ordinary length in a large file\n'
const lines = Math.ceil(5_000_000 / line.length)
/** Every how many lines of the large file one is changed. */
const linesPerChange = 600
/** Pause in milliseconds for idle loading and for work on a file after it is shown. */
const settleTime = 4000

const scenario: Scenario = {
  name: 'review-bench',
  turns: [
    {
      prompt: /^Change everything/,
      steps: [
        step(
          'change',
          call('run_command', {
            command: `sed -i 's/1/2/' src/*.ts && sed -i '300~${linesPerChange}s/compute/calculate/' large.ts`,
          }),
        ),
        step('tell', say('Everything is changed.')),
      ],
    },
  ],
}

/** Measures the review in the window: opening its list, and typing in a file of 5 MB with changes. */
export async function measure(): Promise<Row[]> {
  const files: Record<string, string> = { 'large.ts': line.repeat(lines) }
  for (let index = 0; index < smallFiles; index++) files[`src/file${index}.ts`] = `export const a${index} = 1\n`
  const browser = await openBrowser()
  const rows: Row[] = []
  try {
    const setting = {
      files,
      scenario,
      settings: { mode: 'yolo' as const },
      viewport: { width: 1440, height: 900 },
    }
    await picture(browser, 'dark', setting, async (page) => void rows.push(...(await session(page))))
  } finally {
    await browser.close()
  }
  return rows
}

async function session(page: Page): Promise<Row[]> {
  await page.getByRole('treeitem').first().waitFor()
  await openFile(page, 'large.ts')
  await focusEditor(page)
  await page.waitForTimeout(settleTime)
  const before = await typeKeys(page)
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+s')

  await send(page, 'Change everything')
  await lastAnswer(page)
    .getByText(/is changed/)
    .waitFor({ timeout: 120_000 })
  await page.waitForTimeout(settleTime)
  const opened: number[] = []
  for (let round = 0; round < 5; round++) opened.push(await openList(page))

  await page.getByRole('button', { name: 'Show the changes in all files' }).click()
  const expanded: number[] = []
  for (let round = 0; round < 5; round++) expanded.push(await openList(page, '.review-hunk .diff-lines'))
  await page.getByRole('button', { name: 'Hide the changes in all files' }).click()

  await focusEditor(page)
  await page.keyboard.press('Alt+F5')
  await page.locator('.hunk-bar').waitFor()
  const total = (await page.locator('.hunk-bar .diff-position').textContent())?.split(' ').at(-1) ?? '?'
  await page.waitForTimeout(settleTime)
  const withChanges = await typeKeys(page)

  await page.keyboard.press('F1')
  await page.getByRole('combobox', { name: 'Command palette' }).fill('Keep all changes in file')
  await page.keyboard.press('Enter')
  await page.locator('.hunk-bar').waitFor({ state: 'detached' })
  await focusEditor(page)
  await page.waitForTimeout(settleTime)
  const after = await typeKeys(page)
  const ms = (time: number) => `${time.toFixed(1)} ms`
  return [
    {
      question: `opening the review of ${smallFiles + 1} files, until its rows are painted`,
      value: median(opened),
      unit: 'ms',
      goal: 300,
      how: `median of ${opened.length}: ${opened.map((each) => each.toFixed(0)).join(', ')} ms; the first includes its first rendering`,
    },
    {
      question: `the same with the changes of all files expanded, until the first lines are painted`,
      value: median(expanded),
      unit: 'ms',
      goal: 300,
      how: `median of ${expanded.length}: ${expanded.map((each) => each.toFixed(0)).join(', ')} ms`,
    },
    {
      question: `time of the window's thread for a key in a file of 5 MB with ${total} changes, 95th percentile`,
      value: percentile(withChanges.thread, 0.95),
      unit: 'ms',
      goal: 16,
      how: `${keys} keys, without waits; median ${ms(median(withChanges.thread))}. Without changes: ${ms(percentile(before.thread, 0.95))} before and ${ms(percentile(after.thread, 0.95))} after them`,
    },
    {
      question: `time of the window's thread for a key with ${total} changes, against none`,
      value: median(withChanges.thread) / median([...before.thread, ...after.thread]),
      unit: '×',
      goal: 1.1,
      how: `medians: ${ms(median(withChanges.thread))} against ${ms(median(before.thread))} before and ${ms(median(after.thread))} after the changes; key to paint ${withChanges.paint.toFixed(0)} ms against ${before.paint.toFixed(0)} and ${after.paint.toFixed(0)}`,
    },
  ]
}

/** Types keys. @returns milliseconds: the window's thread time per keystroke, and the median from keystroke to paint */
async function typeKeys(page: Page): Promise<{ thread: number[]; paint: number }> {
  const session = await page.context().newCDPSession(page)
  // Thread time, because the time that other processes take from the window differs between measurements.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskTime = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const thread: number[] = []
  let last = await taskTime()
  const { toPaint } = await typeAndMeasure(page, keys, async () => {
    const now = await taskTime()
    thread.push(now - last)
    last = now
  })
  await session.detach()
  return { thread, paint: median(toPaint) }
}

/**
 * Shows the review instead of the explorer.
 * @param shown selector of what must be painted
 * @returns milliseconds until it is painted
 */
async function openList(page: Page, shown = '.review-row'): Promise<number> {
  await page.locator('.activitybar').getByRole('button', { name: 'Explorer' }).click()
  await page.waitForTimeout(300)
  return page.evaluate(async (awaited) => {
    const start = performance.now()
    document.querySelector<HTMLElement>('.activitybar [aria-label^="Review"]')?.click()
    while (!document.querySelector(awaited)) await new Promise(requestAnimationFrame)
    // The task after an animation frame runs when the frame is visible.
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
    return performance.now() - start
  }, shown)
}
