/**
 * Formats a number with thousands separators: `1,200`.
 * @param fractionDigits exact number of digits after the decimal point
 */
export function formatNumber(value: number, fractionDigits?: number): string {
  // Avoids `Intl`, because its first use loads locale data, which delays each start.
  if (fractionDigits === undefined && Number.isSafeInteger(value)) return withSeparators(value)
  return value.toLocaleString('en-US', {
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
  })
}

function withSeparators(value: number): string {
  const digits = String(Math.abs(value))
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end))
  return `${value < 0 ? '-' : ''}${groups.join(',')}`
}
