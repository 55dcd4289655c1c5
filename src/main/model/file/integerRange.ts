// Port of `build_min_max_int` in llama.cpp's common/json-schema-to-grammar.cpp (MIT), for bounds within ±1e15.

const digits = (from: string | number, to: string | number): string =>
  String(from) === String(to) ? `[${from}]` : `[${from}-${to}]`

function moreDigits(min: number, max: number): string {
  if (min === max && min === 1) return '[0-9]'
  return `[0-9]{${min === max ? min : `${min},${max}`}}`
}

/** Returns the GBNF of an integer within bounds. @throws Error without a bound */
export function integerRange(min: number | undefined, max: number | undefined, decimals = 16, isTop = true): string {
  if (min !== undefined && max !== undefined) return between(min, max, decimals)
  if (min !== undefined) return atLeast(min, decimals, isTop)
  if (max === undefined) throw new Error('An integer without bounds has no range.')
  if (max < 0) return `"-" (${integerRange(-max, undefined, decimals, false)})`
  const negative = isTop ? `"-" [1-9] ${moreDigits(0, Math.max(decimals - 1, 1))} | ` : ''
  return negative + integerRange(0, max, decimals)
}

function between(min: number, max: number, decimals: number): string {
  if (min < 0 && max < 0) return `"-" (${integerRange(-max, -min, decimals)})`
  if (min < 0) return `"-" (${integerRange(0, -min, decimals)}) | ${between(0, max, decimals)}`
  const parts: string[] = []
  let from = String(min)
  for (let length = from.length; length < String(max).length; length++) {
    parts.push(uniform(from, '9'.repeat(length)))
    from = `1${'0'.repeat(length)}`
  }
  return [...parts, uniform(from, String(max))].join(' | ')
}

function atLeast(min: number, decimals: number, isTop: boolean): string {
  const rest = Math.max(decimals - 1, 1)
  if (min < 0)
    return `"-" (${integerRange(undefined, -min, decimals, false)}) | [0] | [1-9] ${moreDigits(0, decimals - 1)}`
  if (min === 0) return isTop ? `[0] | [1-9] ${moreDigits(0, rest)}` : moreDigits(1, decimals)
  const first = isTop ? 1 : 0
  const [digit = '', length] = [String(min)[0], String(min).length]
  const lead = Number(digit)
  if (length === 1)
    return `${lead > first ? `${digits(first, lead - 1)} ${moreDigits(1, rest)} | ` : ''}${digits(lead, 9)} ${moreDigits(0, rest)}`
  const fewer = lead > 1 ? `${digits(first, lead - 1)} ${moreDigits(length, rest)} | ` : ''
  const more = lead < 9 ? ` | ${digits(lead + 1, 9)} ${moreDigits(length - 1, rest)}` : ''
  return `${fewer}${digits(lead, lead)} (${integerRange(Number(String(min).slice(1)), undefined, rest, false)})${more}`
}

/** Returns the GBNF of the numbers between two numbers with the same number of digits. */
function uniform(from: string, to: string): string {
  let same = 0
  while (same < from.length && from[same] === to[same]) same++
  const prefix = same > 0 ? `"${from.slice(0, same)}"` : ''
  if (same === from.length) return prefix
  const [low, high] = [Number(from[same]), Number(to[same])]
  const [lowRest, highRest] = [from.slice(same + 1), to.slice(same + 1)]
  const joined = (rest: string) => (prefix === '' ? rest : `${prefix} ${rest}`)
  if (lowRest === '') return joined(`[${low}-${high}]`)
  const [zeros, nines] = ['0'.repeat(lowRest.length), '9'.repeat(lowRest.length)]
  const any = moreDigits(lowRest.length, lowRest.length)
  const last = ` | ${digits(high, high)} ${uniform(zeros, highRest)}`
  if (lowRest === zeros) return joined(`(${digits(low, high - 1)} ${any}${last})`)
  const lowest = `[${low}] (${uniform(lowRest, nines)})`
  if (low >= high - 1) return joined(`(${lowest}${last})`)
  return joined(
    `(${lowest} | ${highRest === nines ? `${digits(low + 1, high)} ${any}` : `${digits(low + 1, high - 1)} ${any}${last}`})`,
  )
}
