import { useSyncExternalStore } from 'react'
import type { Options } from 'react-markdown'
import { logError } from '../../platform/windowLog.ts'

type Plugins = NonNullable<Options['rehypePlugins']>

let plugins: Plugins | undefined
let loading: Promise<void> | undefined
const listeners = new Set<() => void>()

/** Loads the grammars, which are as large as the rest of the panel. Code is plain text until they are loaded. */
async function load(): Promise<void> {
  const { default: rehypeHighlight } = await import('rehype-highlight')
  // Shared by all blocks, because creating a transformer registers every grammar.
  const transform = rehypeHighlight({ detect: false })
  plugins = [() => transform]
  for (const listener of listeners) listener()
}

/** The highlighting plugin, or undefined until it is loaded. */
export function useHighlighter(): Plugins | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      loading ??= load().catch((error: unknown) => {
        // Code stays plain text. The next code block tries again.
        loading = undefined
        logError('Syntax highlighting could not be loaded', error)
      })
      return () => listeners.delete(listener)
    },
    () => plugins,
  )
}
