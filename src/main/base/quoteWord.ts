/** Quotes a word for a POSIX shell if necessary. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !/^\w+=/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
