import { loadMonacoView } from '../editor/loadMonacoView.ts'
import { onConnected } from '../platform/bridge/bridge.ts'
import { preloadEditorExtensions } from '../platform/editor/editorExtensions.ts'
import { whenIdle } from '../platform/layout/whenIdle.ts'
import { LazySearchPanel } from './lazyViews.tsx'

/** Milliseconds after connecting before loading starts, so that the window can render first. */
const settleMs = { monaco: 1000, terminal: 1500, views: 2000 }
/** Maximum milliseconds to wait until the page is idle. */
const maxIdleWait = 10_000

/** Loads Monaco, the terminal and small views in idle time, so that the first one of each opens quickly. */
export function preloadViews(): void {
  const stop = onConnected(() => {
    stop()
    setTimeout(() => whenIdle(quietly(loadMonaco), maxIdleWait), settleMs.monaco)
    setTimeout(() => whenIdle(quietly(loadTerminal), maxIdleWait), settleMs.terminal)
    setTimeout(() => whenIdle(quietly(loadViews), maxIdleWait), settleMs.views)
  })
}

/** Ignores a failure, because opening a file or a terminal loads again and then shows the error. */
const quietly = (load: () => Promise<void>) => () => void load().catch(() => undefined)

async function loadMonaco(): Promise<void> {
  const [{ warmUp }] = await Promise.all([
    import('../platform/editor/monaco/monaco.ts'),
    import('../platform/editor/documents/monacoBuffer.ts'),
    // For edits by the agent to unsaved text.
    import('../../shared/diff/mergeEdits.ts'),
    loadMonacoView(),
  ])
  await warmUp()
  await preloadEditorExtensions()
}

async function loadTerminal(): Promise<void> {
  const [{ loadXterm }] = await Promise.all([
    import('../terminal/XtermJobTerminal.tsx'),
    import('../terminal/JobsPanel.tsx'),
  ])
  await loadXterm()
}

/** Loads what a key opens, and cards that a turn shows. */
async function loadViews(): Promise<void> {
  const { preloadCards } = await import('../chat/ChatPanel.tsx')
  await Promise.all([LazySearchPanel.preload(), preloadCards()])
}
