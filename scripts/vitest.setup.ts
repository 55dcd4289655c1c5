import { beforeEach, vi } from 'vitest'
import { keepSkipReason } from './testing/skipReasons.ts'

beforeEach(keepSkipReason)

// The default limit of `vi.waitFor` is one second, but starting a process on a busy machine can take longer. A longer
// limit costs nothing when the condition is met.
const limit = 60_000
const { waitFor } = vi

vi.waitFor = (callback, options) =>
  waitFor(
    callback,
    typeof options === 'number'
      ? Math.max(options, limit)
      : { ...options, timeout: Math.max(options?.timeout ?? 0, limit) },
  )
