import type { Page } from 'playwright'

/** Milliseconds between two keys: a fast typist. */
const keyInterval = 80

/** Types `count` letters at the cursor and measures each from its keydown event to the frame that shows it. @returns milliseconds a key */
export async function typeAndMeasure(page: Page, count: number): Promise<number[]> {
  await page.evaluate(watchKeys)
  for (let index = 0; index < count; index++) await page.keyboard.press('abcdefghij'.charAt(index % 10), { delay: keyInterval / 2 }).then(() => page.waitForTimeout(keyInterval / 2))
  await page.waitForTimeout(500)
  return page.evaluate(keyTimes)
}

/** Opens a file by quick open. @returns milliseconds from Enter until `marker` stands in the editor */
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

/** Runs in the page. A frame is on the screen when the task after its animation callback runs. */
function watchKeys(): void {
  const times: number[] = []
  Object.assign(globalThis, { keyTimesSoFar: times })
  addEventListener('keydown', (event) => requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - event.timeStamp))), { capture: true })
}

/** Runs in the page. */
function keyTimes(): number[] {
  // Put there by `watchKeys`.
  return (globalThis as unknown as { keyTimesSoFar: number[] }).keyTimesSoFar
}

/** Runs in the page. */
function watchMarker(marker: string): void {
  addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    const look = () => {
      // Monaco writes spaces that do not break.
      const lines = Array.from(document.querySelectorAll('.view-lines'), (element) => element.textContent.replaceAll('\u00a0', ' ')).join('\n')
      if (lines.includes(marker)) setTimeout(() => Object.assign(globalThis, { markerSeen: performance.now() - event.timeStamp }))
      else requestAnimationFrame(look)
    }
    look()
  }, { capture: true, once: true })
}

/** Runs in the page. */
function markerTime(): number {
  // Put there by `watchMarker`.
  const scope = globalThis as unknown as { markerSeen?: number }
  const time = scope.markerSeen ?? Number.NaN
  delete scope.markerSeen
  return time
}

/** The value below which `share` (0 to 1) of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
