/** Timeouts in milliseconds. */
export interface McpTimeouts {
  /** For connecting and listing tools; `npx` may download a package first. */
  start: number
  /** For a call without progress; each progress notification restarts it. */
  call: number
  /** For a whole call. */
  callTotal: number
  /** Before each new attempt; the length limits the number of attempts. */
  retries: readonly number[]
  /** Duration of a connection after which the attempts are counted from zero. */
  stableAfter: number
}

export const defaultMcpTimeouts: McpTimeouts = {
  start: 60_000,
  call: 120_000,
  callTotal: 1_800_000,
  retries: [1000, 4000, 15_000],
  stableAfter: 60_000,
}
