import { expect, it, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, testContext } from '../testing/toolContext.ts'
import { calculator } from './calculator.ts'
import { datetime, describeTime } from './datetime.ts'
import { echo } from './echo.ts'

async function run(tool: typeof calculator, args: Record<string, unknown>): Promise<string> {
  const folder = await temporaryFolder()
  try {
    return (await runTool(tool, args, await testContext(folder.root))).text
  } finally {
    await folder.remove()
  }
}
const calculate = (expression: string) => run(calculator, { expression })

test.each([
  ['sqrt(144) + 3 * 7', '33'],
  ['1 + 2 * 3 - 4 / 2', '5'],
  ['(1 + 2) * 3', '9'],
  ['10 - 4 - 3', '3'],
  ['100 / 10 / 5', '2'],
  ['7 % 3 + -7 % 3', '0'],
  ['mod(-7, 3)', '2'],
  ['2^3^2', '512'],
  ['2 ** 10', '1024'],
  ['-2^2', '-4'],
  ['2^-2', '0.25'],
  ['--3', '3'],
  ['5! / 3!', '20'],
  ['0.1 + 0.2', '0.3'],
  ['1e3 + 1_000 + .5 + 0xff + 0b11', '2258.5'],
  ['2 × 3 − 8 ÷ 4', '4'],
  ['round(1.005, 2) + round(-2.5)', '-1.99'],
  ['max(1, 2, 3) * min(4, 5) + sum(1, 2) + avg(1, 3)', '17'],
  ['log(8, 2) + ln(e) + log10(1000) + log2(4)', '9'],
  ['sin(pi / 2) + cos(0) + degrees(pi) + radians(180) - PI', '182'],
  ['gcd(12, 18) + lcm(4, 6) + hypot(3, 4) + factorial(4)', '47'],
  ['9007199254740991', '9007199254740991'],
  ['2^70', '1180591620717411303424'],
  ['9007199254740992 + 1', '9007199254740993'],
  ['10^20 - 3', '99999999999999999997'],
  ['2^64 / 2^32 + 2^64 % 10', '4294967302'],
  [
    '123456789012345678901234567890 * 987654321098765432109876543210',
    '121932631137021795226185032733622923332237463801111263526900',
  ],
  ['25! / 24! + gcd(2^70, 6^30) - 2^30', '25'],
  ['1,000+1', '1001'],
  ['1,234,567.5 * 2', '2469135'],
  ['sqrt(1,000,000)', '1000'],
  ['max(1, 200) + pow(2,100) - 2^100', '200'],
  ['100 * 15%', '15'],
  ['15%', '0.15'],
  ['(50% + 25%) * 8', '6'],
  ['200 * (1 + 10%) / 2', '110'],
  ['15% * 200 + 1', '31'],
  ['50% - 20%', '0.3'],
  ['17 % 5 + 17 %5', '4'],
  ['7 % -3', '1'],
  ['171! / 170!', '171'],
  ['10^400 / 10^399', '10'],
  ['2^70 + 0.5', '1.18059162071741e+21'],
  ['-0', '0'],
])('%s is %s', async (expression, expected) => {
  expect(await calculate(expression)).toBe(expected)
})

test.each([
  ['', 'A number'],
  ['1 +', 'A number'],
  ['1 2', 'An operator'],
  ['(1', '")"'],
  ['1)', 'An operator'],
  ['foo', '"foo"'],
  ['foo(1)', '"foo"'],
  ['sqrt', 'parentheses'],
  ['sqrt()', 'sqrt takes 1'],
  ['sqrt(1, 2)', 'sqrt takes 1'],
  ['pow(2)', 'pow takes 2'],
  ['1 = 1', '"="'],
  ['"a"', 'is not allowed'],
  ['a.b', '"."'],
  ['1e999', 'is too large'],
  ['constructor', '"constructor"'],
  ['__proto__', '"__proto__"'],
  ['toString()', '"toString"'],
  ['process.exit()', '"."'],
  ['globalThis', '"globalThis"'],
  ['(() => 1)()', '"="'],
  ['`x`', '"`"'],
  ['('.repeat(101) + '1' + ')'.repeat(101), 'levels'],
  ['-'.repeat(4_000) + '1', 'levels'],
  ['2^'.repeat(2_000) + '1', 'levels'],
  ['1+'.repeat(3_000) + '1', 'characters'],
])('refuses %j with a reason', async (expression, why) => {
  const error = await expectFailure(calculate(expression), 'invalid_arguments')
  expect(error.message).toContain(why)
})

test.each([
  '1 / 0',
  '0 / 0',
  'sqrt(-1)',
  'ln(-1)',
  '10^1000',
  '450!',
  '2^4001',
  '(10^600)^2',
  '10.5^400',
  '1.5!',
  '(-1)!',
  'mod(1, 0)',
  '5 % 0',
  'log(0)',
  '9^9^9^9',
])('%s has no value, which is an error', async (expression) => {
  await expectFailure(calculate(expression), 'out_of_range')
})

test.each([
  '1,5',
  '1,00 + 1',
  '0,500',
  '1.000,5',
  'max(1,200)',
  'round(1,234)',
  '200 + 10%',
  '200 - 10%',
  '7%-3',
  '1,0000',
])('%s is ambiguous and is refused with a hint', async (expression) => {
  const error = await expectFailure(calculate(expression), 'invalid_arguments')
  expect(error.message + error.next).toMatch(/ambiguous|expected/)
  expect(error.next).toMatch(/Write|Put|Operators/)
})

it('calculates a long expression', async () => {
  expect(await calculate(`${'1+'.repeat(2_000)}1`)).toBe('2001')
})

it('echo returns the text', async () => {
  expect(await run(echo, { text: 'a\nb ' })).toBe('a\nb ')
})

it('datetime returns the time as ISO with offset, zone and UTC', async () => {
  const before = Date.now()
  const lines = (await run(datetime, {})).split('\n')
  const [iso = ''] = (lines[0] ?? '').split(' ')
  expect(iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  expect(Date.parse(iso)).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000)
  expect(lines.slice(1).map((line) => line.split(':')[0])).toEqual(['Time zone', 'UTC offset', 'UTC'])
  const summer = new Date('2026-07-01T22:30:05Z')
  expect(describeTime(summer, 'Europe/Berlin').split('\n')).toEqual([
    '2026-07-02T00:30:05+02:00 (Thursday)',
    'Time zone: Europe/Berlin',
    'UTC offset: +02:00',
    'UTC: 2026-07-01T22:30:05.000Z',
  ])
  expect(describeTime(summer, 'UTC')).toContain('2026-07-01T22:30:05+00:00 (Wednesday)')
  expect(describeTime(summer, 'Asia/Kolkata')).toContain('2026-07-02T04:00:05+05:30')
})
