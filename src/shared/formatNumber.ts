const integer = new Intl.NumberFormat('en-US')

/** A number with thousands separators: `1,200`. @param fractionDigits shows exactly so many digits after the point */
export function formatNumber(value: number, fractionDigits?: number): string {
  if (fractionDigits === undefined) return integer.format(value)
  return value.toLocaleString('en-US', {
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
  })
}
