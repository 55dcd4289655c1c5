/** An action that runs after the next frame is painted. */
export interface AfterPaint {
  /** Schedules the action. Further calls before it runs have no effect. */
  schedule(): void
  cancel(): void
}

/**
 * Defers an action until after the next frame, so that it does not delay painting a keystroke.
 * @param minInterval minimum milliseconds between two runs, so that an action that draws does not cost a second frame
 * per keystroke
 */
export function afterPaint(action: () => void, minInterval = 0): AfterPaint {
  let frame: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastRun = Number.NEGATIVE_INFINITY
  function run(): void {
    timer = undefined
    lastRun = performance.now()
    action()
  }
  return {
    schedule() {
      if (frame !== undefined || timer !== undefined) return
      frame = requestAnimationFrame(() => {
        frame = undefined
        // The browser paints between a frame's callbacks and the next task.
        timer = setTimeout(run, Math.max(0, lastRun + minInterval - performance.now()))
      })
    },
    cancel() {
      if (frame !== undefined) cancelAnimationFrame(frame)
      clearTimeout(timer)
      frame = undefined
      timer = undefined
    },
  }
}
