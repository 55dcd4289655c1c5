/** Timeouts in milliseconds. */
export interface McpTimeouts {
  /** For connecting and listing tools; `npx` may download a package first. */
  start: number
  /** For a call without progress; each progress notification restarts it. */
  call: number
  /** For a whole call. */
  callTotal: number
  /** Delay before each new attempt. The length of the list limits the number of attempts. */
  retries: readonly number[]
  /** Duration of a connection that resets the number of attempts. */
  stableAfter: number
}

export const defaultMcpTimeouts: McpTimeouts = {
  start: 60_000,
  call: 120_000,
  callTotal: 1_800_000,
  retries: [1000, 4000, 15_000],
  stableAfter: 60_000,
}
