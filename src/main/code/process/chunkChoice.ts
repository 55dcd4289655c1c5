/** Files waiting for a thread, all in one language. */
export interface WaitingChunk {
  /** Language whose tag query a thread must prepare first; '' if it needs none. */
  language: string
  files: { readonly length: number }
}

/** Number of waiting files of a language that take longer to read than preparing its tag query (up to 0.2 s). */
const worthPreparing = 100

/**
 * Chooses the next chunk for a thread. Preparing a tag query takes as long as reading a hundred files, so a thread
 * prefers a language that it has prepared, above all one that few others have. It takes another language if no thread
 * has prepared it, or if enough files are waiting.
 * @param prepared languages that the thread has prepared
 * @param threads prepared languages of all threads, including this one
 * @returns an index; -1 if the thread should wait
 */
export function chooseChunk(
  waiting: readonly WaitingChunk[],
  prepared: ReadonlySet<string>,
  threads: readonly ReadonlySet<string>[],
): number {
  let chosen = -1
  let least = Infinity
  for (const [index, { language }] of waiting.entries()) {
    if (language !== '' && !prepared.has(language)) continue
    const count = language === '' ? threads.length : threads.filter((each) => each.has(language)).length
    if (count < least) [chosen, least] = [index, count]
  }
  if (chosen !== -1) return chosen
  return waiting.findIndex(
    ({ language }) =>
      threads.every((each) => !each.has(language)) ||
      waiting.reduce((sum, other) => sum + (other.language === language ? other.files.length : 0), 0) >= worthPreparing,
  )
}
