import type { ChatRequest } from '../modelClient.ts'
import { noProgress, trickledResponse, type RequestTarget } from './modelErrors.ts'

/**
 * Limits on server timeouts, in milliseconds. Total duration is unlimited: a slow model may take any time as long as it
 * makes progress. (The built-in `fetch` has fixed limits.)
 */
export interface HttpTimeouts {
  /** Until the connection is established. */
  connectMs: number
  /**
   * From sending the request to receiving the headers. A local server loads the model and processes the prompt in this
   * time.
   */
  headersMs: number
  /** Between two chunks of the response. */
  chunkMs: number
  /** Whether the user can change them in the settings of the endpoint, which errors then mention. */
  configurable?: boolean
}
export const defaultHttpTimeouts: HttpTimeouts = { connectMs: 10_000, headersMs: 600_000, chunkMs: 300_000 }

/** Ends an answer that sends data without progress, which the limits on silence never notice. */
export interface ProgressWatch {
  /**
   * Records received data.
   * @param length in bytes
   * @param completes whether it contains the end of a line
   * @param isUnfinished whether an incomplete line, or part of an answer that is read as a whole, remains
   * @throws ModelError `timeout` if a line has trickled for too long
   */
  received(length: number, completes: boolean, isUnfinished: boolean): void
  /** Records that the model wrote something or read more of the prompt. */
  progressed(): void
  /** @throws ModelError `timeout` if the last progress was too long ago */
  check(): void
}

/** Minimum growth in bytes of an incomplete line within the limit for silence. Working servers send more. */
const minGrowth = 256

/**
 * Returns how long a server may keep a connection open without progress, in milliseconds: 12 times the time for the
 * start of an answer, 2 hours by default. Keep-alives show that it works on a long prompt, but some proxies send them
 * for a server that hangs.
 */
export function maxQuietMs({ headersMs }: HttpTimeouts): number {
  return headersMs * 12
}

/** Expected maximum tokens of a call, such as one that writes a file. */
const maxCallTokens = 16_000

/**
 * Returns how long an answer may pause, in milliseconds. Servers that do not stream calls send nothing while the model
 * writes one, so the pause depends on the measured speed.
 */
export function maxPauseMs({
  request: { tools, maxTokens, contextWindow = maxCallTokens },
  tokensPerSecond,
  timeouts,
}: {
  request: Pick<ChatRequest, 'tools' | 'maxTokens' | 'contextWindow'>
  tokensPerSecond: number | undefined
  timeouts: HttpTimeouts
}): number {
  if (tools.length === 0 || tokensPerSecond === undefined) return timeouts.chunkMs
  const tokens = Math.min(maxTokens ?? contextWindow, maxCallTokens)
  return Math.max(timeouts.chunkMs, Math.min((tokens / tokensPerSecond) * 1000, maxQuietMs(timeouts)))
}

/** @param quietMs maximum time without progress, in milliseconds */
export function createProgressWatch(
  target: RequestTarget,
  timeouts: HttpTimeouts,
  quietMs: () => number = () => maxQuietMs(timeouts),
): ProgressWatch {
  let progressAt = performance.now()
  /** When the growth of the unfinished line was last measured; undefined between lines. */
  let growthSince: number | undefined
  let growth = 0
  return {
    received(length, completes, isUnfinished) {
      const now = performance.now()
      if (growthSince !== undefined && !completes) {
        growth += length
        if (now - growthSince <= timeouts.chunkMs) return
        if (growth < minGrowth) throw trickledResponse(timeouts, target)
      }
      growth = 0
      growthSince = isUnfinished ? now : undefined
    },
    progressed() {
      progressAt = performance.now()
    },
    check() {
      const limit = quietMs()
      if (performance.now() - progressAt > limit) throw noProgress(limit, timeouts, target)
    },
  }
}
