import { formatNumber } from './formatNumber.ts'

/**
 * Formats a number with its noun: `1 file`, `1,200 files`.
 * @param many plural form; by default the singular with an "s"
 */
export function plural(count: number, one: string, many?: string): string {
  return `${formatNumber(count)} ${pluralNoun(count, one, many)}`
}

/** Returns the noun in singular or plural, without the number. */
export function pluralNoun(count: number, one: string, many = `${one}s`): string {
  // Avoids `Intl.PluralRules`, because loading locale data takes long and English has one rule.
  return Math.abs(count) === 1 ? one : many
}
