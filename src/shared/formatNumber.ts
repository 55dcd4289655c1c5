/** Created on demand, because loading the data of languages would delay each start. */
let integer: Intl.NumberFormat | undefined

/**
 * Formats a number with thousands separators: `1,200`.
 * @param fractionDigits exact number of digits after the decimal point
 */
export function formatNumber(value: number, fractionDigits?: number): string {
  if (fractionDigits === undefined) {
    // Has no separator.
    if (Number.isInteger(value) && Math.abs(value) < 1000) return String(value)
    integer ??= new Intl.NumberFormat('en-US')
    return integer.format(value)
  }
  return value.toLocaleString('en-US', {
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
  })
}
