import type { Page } from 'playwright'

/** Interval between two keys in milliseconds, as of a fast typist. */
const keyInterval = 80

/** Durations while typing, in milliseconds. */
export interface TypingTimes {
  /** From the keydown event of each key to the frame that shows it. */
  toPaint: number[]
  /** Event Timing of each key: keydown to the next paint in steps of 8 ms; 0 for less than 16 ms. */
  toPaintByBrowser: number[]
  /** Tasks that blocked the window for more than 50 ms. */
  longTasks: number[]
}

/** Types `count` letters at the cursor. @param afterKey runs after the pause that follows each key */
export async function typeAndMeasure(
  page: Page,
  count: number,
  afterKey: () => Promise<void> = async () => {},
): Promise<TypingTimes> {
  await page.evaluate(watchKeys)
  for (let index = 0; index < count; index++) {
    await page.keyboard.press('abcdefghij'.charAt(index % 10), { delay: keyInterval / 2 })
    await page.waitForTimeout(keyInterval / 2)
    await afterKey()
  }
  // The observers report their last entries after the last frame.
  await page.waitForTimeout(500)
  const times = await page.evaluate(typingTimes)
  if (times.toPaint.length !== count) throw new Error(`The window got ${times.toPaint.length} of ${count} keys.`)
  return {
    ...times,
    toPaintByBrowser: [
      ...times.toPaintByBrowser,
      ...Array.from({ length: Math.max(0, count - times.toPaintByBrowser.length) }, () => 0),
    ],
  }
}

/** Opens a file with quick open. @returns milliseconds from Enter until the editor shows `marker` */
export async function openAndMeasure(page: Page, name: string, marker: string): Promise<number> {
  await page.keyboard.press('Control+p')
  await page.waitForTimeout(500)
  await page.keyboard.type(name)
  await page.waitForTimeout(1500)
  await page.evaluate(watchMarker, marker)
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => 'markerSeen' in globalThis, undefined, { timeout: 120_000 })
  return page.evaluate(markerTime)
}

/** Runs in the page. A frame is visible when the task after its animation callback runs. */
function watchKeys(): void {
  const times: TypingTimes = { toPaint: [], toPaintByBrowser: [], longTasks: [] }
  const onKey = (event: KeyboardEvent): void => {
    requestAnimationFrame(() => setTimeout(() => times.toPaint.push(performance.now() - event.timeStamp)))
  }
  addEventListener('keydown', onKey, { capture: true })
  const events = new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') times.toPaintByBrowser.push(duration)
  })
  // TypeScript's DOM types lack this member.
  events.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  const tasks = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) times.longTasks.push(duration)
  })
  tasks.observe({ type: 'longtask' })
  const stop = (): void => {
    removeEventListener('keydown', onKey, { capture: true })
    events.disconnect()
    tasks.disconnect()
  }
  Object.assign(globalThis, { typingWatch: { times, stop } })
}

/** Runs in the page. */
function typingTimes(): TypingTimes {
  // Put there by `watchKeys`.
  const { times, stop } = (globalThis as unknown as { typingWatch: { times: TypingTimes; stop(): void } }).typingWatch
  stop()
  return times
}

/** Runs in the page. */
function watchMarker(marker: string): void {
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Enter') return
      const look = () => {
        // Monaco renders non-breaking spaces.
        const lines = Array.from(document.querySelectorAll('.view-lines'), (element) =>
          element.textContent.replaceAll('\u00a0', ' '),
        ).join('\n')
        if (lines.includes(marker))
          setTimeout(() => Object.assign(globalThis, { markerSeen: performance.now() - event.timeStamp }))
        else requestAnimationFrame(look)
      }
      look()
    },
    { capture: true, once: true },
  )
}

/** Runs in the page. */
function markerTime(): number {
  // Put there by `watchMarker`.
  const scope = globalThis as unknown as { markerSeen?: number }
  const time = scope.markerSeen ?? Number.NaN
  delete scope.markerSeen
  return time
}

/** Returns the value below which `share` (0 to 1) of the values are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
