/** A number with its noun: `1 file`, `1,200 files`. @param many the plural where it is not `one` and an s */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
