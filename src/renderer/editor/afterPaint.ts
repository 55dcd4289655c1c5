/** An action that waits until the next frame is on the screen. */
export interface AfterPaint {
  /** Runs the action once after the next frame, however often it is called before. */
  schedule(): void
  cancel(): void
}

/** For what may show a frame later than the key that caused it, so that it does not delay the frame that shows the key. */
export function afterPaint(action: () => void): AfterPaint {
  let frame: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  function run(): void {
    timer = undefined
    action()
  }
  return {
    schedule() {
      if (frame !== undefined || timer !== undefined) return
      frame = requestAnimationFrame(() => {
        frame = undefined
        // The browser paints between a frame's callbacks and the next task.
        timer = setTimeout(run)
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
