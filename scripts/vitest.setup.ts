import { beforeEach, vi } from 'vitest'
import { keepSkipReason } from './testing/skipReasons.ts'

beforeEach(keepSkipReason)

// `vi.waitFor` gives up after a second by default, which a busy machine may take to start a process. What is waited for
// comes in milliseconds elsewhere, so a longer limit costs nothing.
const limit = 60_000
const { waitFor } = vi

vi.waitFor = (callback, options) =>
  waitFor(
    callback,
    typeof options === 'number'
      ? Math.max(options, limit)
      : { ...options, timeout: Math.max(options?.timeout ?? 0, limit) },
  )
