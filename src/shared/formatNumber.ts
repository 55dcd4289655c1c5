const integer = new Intl.NumberFormat('en-US')

/**
 * Formats a number with thousands separators: `1,200`.
 * @param fractionDigits exact number of digits after the decimal point
 */
export function formatNumber(value: number, fractionDigits?: number): string {
  if (fractionDigits === undefined) return integer.format(value)
  return value.toLocaleString('en-US', {
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
  })
}
