/** Jobs that are side by side: groups of job ids from left to right. A job without a group is alone. */
export type Splits = readonly (readonly string[])[]

/** Returns the jobs next to a job, including itself. */
export function groupOf(splits: Splits, id: string): readonly string[] {
  return splits.find((group) => group.includes(id)) ?? [id]
}

/** Puts a new job to the right of another one. */
export function splitBeside(splits: Splits, beside: string, added: string): Splits {
  const group = groupOf(splits, beside)
  const at = group.indexOf(beside) + 1
  return [...splits.filter((each) => each !== group), [...group.slice(0, at), added, ...group.slice(at)]]
}

/** Removes jobs that no longer exist, and groups with fewer than two jobs. */
export function withoutUnknown(splits: Splits, isKnown: (id: string) => boolean): Splits {
  return splits.map((group) => group.filter(isKnown)).filter((group) => group.length > 1)
}

/** Returns the job before (-1) or after (1) a job in its group, wrapping around. */
export function neighborOf(splits: Splits, id: string, step: 1 | -1): string {
  const group = groupOf(splits, id)
  return group[(group.indexOf(id) + step + group.length) % group.length] ?? id
}
