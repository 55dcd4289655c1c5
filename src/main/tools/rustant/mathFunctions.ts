/** A function of the calculator with its argument count. Returns NaN if it has no value. */
export interface MathFunction {
  minArguments: number
  maxArguments: number
  run(values: readonly number[]): number
}

/** Constants of the calculator by lower-case name. */
export const constants: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['π', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
  ['phi', (1 + Math.sqrt(5)) / 2],
])

const one = (run: (x: number) => number): MathFunction => ({
  minArguments: 1,
  maxArguments: 1,
  run: ([x = Number.NaN]) => run(x),
})
const two = (run: (x: number, y: number) => number): MathFunction => ({
  minArguments: 2,
  maxArguments: 2,
  run: ([x = Number.NaN, y = Number.NaN]) => run(x, y),
})
const many = (run: (values: readonly number[]) => number): MathFunction => ({
  minArguments: 1,
  maxArguments: Infinity,
  run,
})

/** Angles are in radians. `log` is the natural logarithm; a second argument sets the base. */
export const functions: ReadonlyMap<string, MathFunction> = new Map(
  Object.entries({
    sqrt: one(Math.sqrt),
    cbrt: one(Math.cbrt),
    abs: one(Math.abs),
    sign: one(Math.sign),
    floor: one(Math.floor),
    ceil: one(Math.ceil),
    trunc: one(Math.trunc),
    round: { minArguments: 1, maxArguments: 2, run: ([x = Number.NaN, digits = 0]) => round(x, digits) },
    exp: one(Math.exp),
    ln: one(Math.log),
    log2: one(Math.log2),
    log10: one(Math.log10),
    log: {
      minArguments: 1,
      maxArguments: 2,
      run: ([x = Number.NaN, base]) => (base === undefined ? Math.log(x) : Math.log(x) / Math.log(base)),
    },
    pow: two(Math.pow),
    mod: two((x, y) => x - y * Math.floor(x / y)),
    hypot: many((values) => Math.hypot(...values)),
    sin: one(Math.sin),
    cos: one(Math.cos),
    tan: one(Math.tan),
    asin: one(Math.asin),
    acos: one(Math.acos),
    atan: one(Math.atan),
    atan2: two(Math.atan2),
    sinh: one(Math.sinh),
    cosh: one(Math.cosh),
    tanh: one(Math.tanh),
    asinh: one(Math.asinh),
    acosh: one(Math.acosh),
    atanh: one(Math.atanh),
    radians: one((x) => (x * Math.PI) / 180),
    degrees: one((x) => (x * 180) / Math.PI),
    min: many((values) => Math.min(...values)),
    max: many((values) => Math.max(...values)),
    sum: many(sum),
    avg: many((values) => sum(values) / values.length),
    factorial: one(factorial),
    gcd: two(gcd),
    lcm: two((x, y) => (x === 0 || y === 0 ? 0 : Math.abs(x / gcd(x, y)) * Math.abs(y))),
  }),
)

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Rounds half away from zero, based on the decimal text, so that 1.005 becomes 1.01. */
function round(x: number, digits: number): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 100) return Number.NaN
  const shifted = shift(Math.abs(x), digits)
  return Math.sign(x) * shift(Math.round(shifted), -digits)
}

function shift(x: number, digits: number): number {
  const [mantissa = '', exponent = '0'] = String(x).split('e')
  return Number(`${mantissa}e${Number(exponent) + digits}`)
}

/** Accepts integers up to 170, the last with a finite factorial. */
function factorial(x: number): number {
  if (!Number.isInteger(x) || x < 0) return Number.NaN
  if (x > 170) return Infinity
  let product = 1
  for (let factor = 2; factor <= x; factor += 1) product *= factor
  return product
}

function gcd(x: number, y: number): number {
  if (!Number.isSafeInteger(x) || !Number.isSafeInteger(y)) return Number.NaN
  let [a, b] = [Math.abs(x), Math.abs(y)]
  while (b !== 0) [a, b] = [b, a % b]
  return a
}

/** Functions from integers to integers. If they return undefined, `run` is used. */
export const exactFunctions: ReadonlyMap<string, (values: readonly bigint[]) => bigint | undefined> = new Map(
  Object.entries({
    abs: ([x = 0n]: readonly bigint[]) => (x < 0n ? -x : x),
    sign: ([x = 0n]: readonly bigint[]) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
    floor: same,
    ceil: same,
    trunc: same,
    round: (values: readonly bigint[]) => (values.length === 1 || (values[1] ?? 0n) >= 0n ? values[0] : undefined),
    min: (values: readonly bigint[]) => values.reduce((least, value) => (value < least ? value : least)),
    max: (values: readonly bigint[]) => values.reduce((most, value) => (value > most ? value : most)),
    sum: (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n),
    mod: ([x = 0n, y = 0n]: readonly bigint[]) => (y === 0n ? undefined : ((x % y) + y) % y),
    gcd: ([x = 0n, y = 0n]: readonly bigint[]) => exactGcd(x, y),
    lcm: ([x = 0n, y = 0n]: readonly bigint[]) => exactLcm(x, y),
    factorial: ([x = 0n]: readonly bigint[]) => exactFactorial(x),
  }),
)

/** The largest factorial with fewer than 1,000 digits. */
const maxFactorial = 449n

function same([x]: readonly bigint[]): bigint | undefined {
  return x
}

function exactGcd(x: bigint, y: bigint): bigint {
  let [a, b] = [x < 0n ? -x : x, y < 0n ? -y : y]
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

function exactLcm(x: bigint, y: bigint): bigint {
  if (x === 0n || y === 0n) return 0n
  const product = (x / exactGcd(x, y)) * y
  return product < 0n ? -product : product
}

function exactFactorial(x: bigint): bigint | undefined {
  if (x < 0n || x > maxFactorial) return undefined
  let product = 1n
  for (let factor = 2n; factor <= x; factor += 1n) product *= factor
  return product
}
