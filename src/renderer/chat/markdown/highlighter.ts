import { useSyncExternalStore } from 'react'
import type { Options } from 'react-markdown'
import { logError } from '../../platform/log.ts'

type Plugins = NonNullable<Options['rehypePlugins']>

let plugins: Plugins | undefined
let loading: Promise<void> | undefined
const listeners = new Set<() => void>()

/** The grammars are half of the panel's weight, so they come after it; code is shown plain until then. */
async function load(): Promise<void> {
  const { default: rehypeHighlight } = await import('rehype-highlight')
  // One transformer for all blocks: making one registers every grammar anew.
  const transform = rehypeHighlight({ detect: false })
  plugins = [() => transform]
  for (const listener of listeners) listener()
}

/** The plugin that colours code, once it is there. */
export function useHighlighter(): Plugins | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      loading ??= load().catch((error: unknown) => {
        // Code stays readable without colours; the next block tries again.
        loading = undefined
        logError('Syntax highlighting could not be loaded', error)
      })
      return () => listeners.delete(listener)
    },
    () => plugins,
  )
}
