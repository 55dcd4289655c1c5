/** An action that runs after the next frame is painted. */
export interface AfterPaint {
  /** Schedules the action. Calls before the next frame run it once. */
  schedule(): void
  cancel(): void
}

/** Defers work that may appear one frame after a key press, so that it does not delay the frame of the key press. */
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
