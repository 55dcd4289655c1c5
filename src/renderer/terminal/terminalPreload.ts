import { onConnected } from '../platform/bridge/bridge.ts'
import { whenIdle } from '../platform/layout/whenIdle.ts'

/** Milliseconds after connecting before loading starts, so that the window can render first. */
const settleDelay = 1500
/** Maximum milliseconds to wait until the page is idle. */
const maxIdleWait = 10_000

/** Loads the terminal in idle time, so that the first one opens quickly. After a failure, opening one loads it. */
export function preloadTerminal(): void {
  const load = async () => {
    const [{ loadXterm }] = await Promise.all([import('./XtermJobTerminal.tsx'), import('./JobsPanel.tsx')])
    await loadXterm()
  }
  const stop = onConnected(() => {
    stop()
    setTimeout(() => whenIdle(() => void load().catch(() => undefined), maxIdleWait), settleDelay)
  })
}
