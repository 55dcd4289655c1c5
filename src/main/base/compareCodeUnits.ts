/** Compares two strings by UTF-16 code units, which is fast and gives the same order on every machine. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
