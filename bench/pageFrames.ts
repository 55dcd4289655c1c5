import type { Page } from 'playwright'

/** Returns the longest time between two frames of a page during an action, in milliseconds. */
export async function longestFrameOf(page: Page, action: () => Promise<unknown>): Promise<number> {
  await page.evaluate(watchFrames)
  await action()
  return page.evaluate(longestFrame)
}

/** Runs in the page. */
function watchFrames(): void {
  const state = { last: performance.now(), longest: 0, stopped: false }
  Object.assign(globalThis, { watchedFrames: state })
  const tick = (now: number) => {
    state.longest = Math.max(state.longest, now - state.last)
    state.last = now
    if (!state.stopped) requestAnimationFrame(tick)
  }
  requestAnimationFrame((now) => {
    state.last = now
    requestAnimationFrame(tick)
  })
}

/** Runs in the page. */
function longestFrame(): number {
  // Set by `watchFrames`.
  const { watchedFrames } = globalThis as unknown as { watchedFrames: { longest: number; stopped: boolean } }
  watchedFrames.stopped = true
  return watchedFrames.longest
}
