import { useEffect, useState } from 'react'
import { toFailure, type Failure } from '../../../../shared/errors.ts'
import { on, request } from '../../bridge/bridge.ts'
import type { TextBuffer } from './textBuffer.ts'
import { documents } from './windowDocuments.ts'
import { Delayer } from '../../../../shared/async/delayer.ts'

/** Milliseconds between a keystroke and the update of a preview. */
const typingDelayMs = 150

/**
 * Returns a file's current text: its tab's with unsaved changes, or else that on disk. Tracks both. After a failure,
 * `text` is the last text read.
 */
export function useFileText(path: string): { text: string | null; failure: Failure | null } {
  const [state, setState] = useState<{ text: string | null; failure: Failure | null }>({ text: null, failure: null })

  useEffect(() => {
    let current = true
    let stopListening: (() => void) | undefined
    const read = async () => {
      try {
        const text = documents.buffer(path)?.text() ?? (await request('files.read', { path })).text
        if (current) setState({ text, failure: null })
      } catch (error) {
        if (current) setState((last) => ({ ...last, failure: toFailure(error) }))
      }
    }
    const reading = new Delayer(read, typingDelayMs)
    const readSoon = () => reading.restart()
    let followed: TextBuffer | undefined | null = null
    const follow = () => {
      const buffer = documents.buffer(path)
      if (buffer === followed) return
      stopListening?.()
      followed = buffer
      stopListening = buffer?.onChange(readSoon)
      void read()
    }
    follow()
    const stops = [
      documents.store.subscribe(follow),
      on('files.changed', ({ changes, overflow }) => {
        if (overflow || changes.some((change) => change.path === path)) readSoon()
      }),
    ]
    return () => {
      current = false
      reading.cancel()
      stopListening?.()
      stops.forEach((stop) => stop())
    }
  }, [path])

  return state
}
