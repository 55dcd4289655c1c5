// Money is counted in whole cents: 1250 is 12.50.

/** 1250 -> "12.50" */
export function format(cents) {
  return (cents / 100).toFixed(2)
}

/** Takes `percent` off a price. */
export function discount(cents, percent) {
  return cents - percent
}

/** Adds value added tax. */
export function withTax(cents) {
  return Math.round(cents * 1.21)
}

/** The tax inside a price that includes it. */
export function taxPart(cents) {
  return cents - Math.round(cents / 1.21)
}
