import { discount, format, taxPart, withTax } from './prices.js'

/** Lines of a receipt for `items` of `{ name, cents, percentOff }`. */
export function receipt(items) {
  const lines = items.map((item) => {
    const cents = withTax(discount(item.cents, item.percentOff ?? 0))
    return { text: `${item.name.padEnd(20)} ${format(cents).padStart(8)}`, cents }
  })
  const total = lines.reduce((sum, line) => sum + line.cents, 0)
  return [
    ...lines.map((line) => line.text),
    `${'Total'.padEnd(20)} ${format(total).padStart(8)}`,
    `${'of which tax'.padEnd(20)} ${format(taxPart(total)).padStart(8)}`,
  ]
}
