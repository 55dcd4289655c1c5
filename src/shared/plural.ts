const rules = new Intl.PluralRules('en')

/** A number with its noun: `1 file`, `1,200 files`. @param many the plural where it is not `one` and an s */
export function plural(count: number, one: string, many?: string): string {
  return `${count.toLocaleString('en')} ${pluralNoun(count, one, many)}`
}

/** The noun alone, for a number that is written elsewhere. */
export function pluralNoun(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === 'one' ? one : many
}
