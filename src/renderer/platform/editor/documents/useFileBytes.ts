import { useEffect, useState } from 'react'
import { toFailure, type Failure } from '../../../../shared/errors.ts'
import { on, request } from '../../bridge/bridge.ts'

interface Loaded {
  bytes: Uint8Array<ArrayBuffer>
  /** Size of the whole file. */
  size: number
}

/** Reads part of a file, and again when the file changes on disk. `loaded` is null until then, and after a failure. */
export function useFileBytes(
  path: string,
  offset: number,
  length: number,
): { loaded: Loaded | null; failure: Failure | null } {
  const [state, setState] = useState<{ loaded: Loaded | null; failure: Failure | null }>({
    loaded: null,
    failure: null,
  })

  useEffect(() => {
    let current = true
    const read = async () => {
      try {
        const { base64, size } = await request('files.bytes', { path, offset, length })
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        if (current) setState({ loaded: { bytes, size }, failure: null })
      } catch (error) {
        if (current) setState({ loaded: null, failure: toFailure(error) })
      }
    }
    void read()
    const stop = on('files.changed', ({ changes, overflow }) => {
      if (overflow || changes.some((change) => change.path === path)) void read()
    })
    return () => {
      current = false
      stop()
    }
  }, [path, offset, length])

  return state
}

/** Returns a data URL for an image, which the content security policy allows. */
export function dataUrl(bytes: Uint8Array, type: string): string {
  let binary = ''
  // In chunks, because a call can have only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return `data:${type};base64,${btoa(binary)}`
}
