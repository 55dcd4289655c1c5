import { formatNumber } from './formatNumber.ts'

const rules = new Intl.PluralRules('en')

/**
 * A number and its noun: `1 file`, `1,200 files`.
 * @param many the plural form, if it is not the singular with an "s"
 */
export function plural(count: number, one: string, many?: string): string {
  return `${formatNumber(count)} ${pluralNoun(count, one, many)}`
}

/** The noun alone, for a number that is printed separately. */
export function pluralNoun(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === 'one' ? one : many
}
