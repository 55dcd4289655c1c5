/**
 * A measured value. `value` and `goal` are in `unit`. A ratio has the unit "×"; its baseline is measured in the same
 * run.
 */
export interface Row {
  question: string
  value: number
  unit: '×' | 'ms' | 's' | 'KB' | 'MB' | '%' | 'tokens'
  /** Maximum of `value`; minimum for a share (%). Without a goal, the value is reported but not judged. */
  goal?: number
  /** Short description of the measurement, with the value of the baseline. */
  how: string
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** Returns the duration of an action in milliseconds. */
export async function time(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await action()
  return performance.now() - start
}

/**
 * Returns the medians of two actions, measured alternately so that other load affects both.
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
