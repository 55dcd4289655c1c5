/**
 * Creates a comparer of names in English order. The locale data is loaded on the first comparison, because it would
 * delay each start.
 */
export function createNameComparer(options: Intl.CollatorOptions): (a: string, b: string) => number {
  let collator: Intl.Collator | undefined
  return (a, b) => (collator ??= new Intl.Collator('en', options)).compare(a, b)
}

/** Compares two strings by UTF-16 code units, which is fast and gives the same order on every machine. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
