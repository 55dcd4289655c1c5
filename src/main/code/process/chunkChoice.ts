/** Files that wait for a thread, all of one language. */
export interface WaitingChunk {
  /** Language whose tag query a thread prepares before it reads the files; '' if it needs none. */
  language: string
  files: { readonly length: number }
}

/** Number of waiting files of a language that take longer than preparing its tag query, which takes up to 0.2 s. */
const worthPreparing = 100

/**
 * Chooses what a thread reads next. Preparing a tag query takes as long as reading a hundred files, so a thread takes a
 * language that it has prepared, first of all one that few others have; another one if no thread has prepared it, or if
 * enough files wait.
 * @param prepared the languages that the thread has prepared
 * @param threads those of all threads, this one included
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
