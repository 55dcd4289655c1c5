import { onConnected } from '../platform/bridge/bridge.ts'
import { preloadEditorExtensions } from '../platform/editor/editorExtensions.ts'
import { whenIdle } from '../platform/layout/whenIdle.ts'
import { loadMonacoView } from './loadMonacoView.ts'

/** Milliseconds after connecting before loading starts, so that the window can render first. */
const settleDelay = 1000
/** Maximum milliseconds to wait until the page is idle. */
const maxIdleWait = 10_000

/** Loads Monaco in idle time, so that the first file opens quickly. After a failure, opening a file loads it again. */
export function preloadMonaco(): void {
  const stop = onConnected(() => {
    stop()
    setTimeout(() => whenIdle(() => void load(), maxIdleWait), settleDelay)
  })
}

async function load(): Promise<void> {
  try {
    const [{ warmUp }] = await Promise.all([
      import('../platform/editor/monaco/monaco.ts'),
      import('../platform/editor/monaco/monacoBuffer.ts'),
      loadMonacoView(),
    ])
    await warmUp()
    await preloadEditorExtensions()
  } catch {
    // Opening a file tries again and shows the error.
  }
}
