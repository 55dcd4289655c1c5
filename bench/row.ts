/** One measured answer. `value` and `goal` are in `unit`; a ratio has the unit "×" and its baseline was measured in the same run. */
export interface Row {
  question: string
  value: number
  unit: '×' | 'ms' | 's' | 'KB' | '%'
  /** The most that `value` may be; for a share (%) the least. Absent where none was set: the figure is shown and not judged. */
  goal?: number
  /** How it was measured, in a few words, with the baseline's own figure. */
  how: string
}

/** Middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** Milliseconds that an action takes. */
export async function time(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await action()
  return performance.now() - start
}

/**
 * Medians of two actions measured alternately, so that a noisy neighbour hits both alike.
 * @returns milliseconds
 */
export async function sideBySide(
  rounds: number,
  ours: () => Promise<unknown>,
  baseline: () => Promise<unknown>,
): Promise<{ ours: number; baseline: number }> {
  const times = { ours: [] as number[], baseline: [] as number[] }
  await ours()
  await baseline()
  for (let round = 0; round < rounds; round++) {
    times.ours.push(await time(ours))
    times.baseline.push(await time(baseline))
  }
  return { ours: median(times.ours), baseline: median(times.baseline) }
}
