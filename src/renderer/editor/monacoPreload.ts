import { onConnected } from '../platform/bridge/bridge.ts'
import { loadMonacoView } from './loadMonacoView.ts'

/** Milliseconds after the connection: the window has drawn its first parts by then. */
const settleDelay = 1000
/** Milliseconds after which the editor is loaded even if the page was never idle. */
const longestWait = 10_000

/** Loads Monaco while nobody needs it, so that the first file opens without the wait. A failed load is repeated when a file is opened. */
export function preloadEditor(): void {
  const stop = onConnected(() => {
    stop()
    setTimeout(() => whenIdle(() => void load()), settleDelay)
  })
}

/** Not every browser has idle callbacks. */
function whenIdle(action: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(action, { timeout: longestWait })
  else action()
}

async function load(): Promise<void> {
  try {
    const [{ warmUp }] = await Promise.all([
      import('../platform/editor/monaco.ts'),
      import('../platform/editor/monacoBuffer.ts'),
      loadMonacoView(),
    ])
    await warmUp()
  } catch {
    // Opening a file loads it again and shows what is wrong.
  }
}
