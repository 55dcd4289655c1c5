import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { looksLikeCode } from '../../code/describe/codeLocation.ts'
import { editOperations } from '../../edit/editOperations.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { writeTree } from '../testing/toolContext.ts'
import { smartEditBench, type SmartEditBench } from '../testing/smartEditBench.ts'

const check = `fn check(name: &str, password: &str) -> bool {
    if name == password {
        return false;
    }
    let total = compute_total(name, 3);
    log_attempt(name);
    total > 2
}

fn total(items: &[u32]) -> u32 {
    items.iter().sum()
}

fn verify(name: &str) -> bool {
    let max = 10;
    name.len() > max
}
`
const shop = `import os
from tools import (
    first,
    second,
)


def price_of(item, count):
    price = item.price * count
    if price > 100:
        price = price - discount
    return price


def price_for(user):
    return price_of(user.item, 1)
`
const files = { 'check.rs': check, 'shop.py': shop }

let bench: SmartEditBench
beforeAll(async () => {
  bench = await smartEditBench(files)
})
beforeEach(() => writeTree(bench.folder.root, files))
afterAll(() => bench.dispose())

describe('code that the file does not contain', () => {
  const absent: readonly (readonly [file: keyof typeof files, location: string])[] = [
    ['check.rs', 'name = password'],
    ['check.rs', 'password = name'],
    ['check.rs', 'return password'],
    ['check.rs', 'retrun total'],
    ['check.rs', 'total > 3000000'],
    ['check.rs', 'total(items, count)'],
    ['check.rs', 'let check'],
    ['check.rs', 'class verify'],
    ['check.rs', 'x = 10'],
    ['check.rs', 'check(name) && verify(name)'],
    ['check.rs', '// verify the name and the total'],
    ['check.rs', 'fn check_all(name: &str, password: &str) -> bool {'],
    ['check.rs', 'fn verily(name: &str) -> bool {'],
    ['check.rs', 'if password == name {\n    return true;\n}'],
    ['check.rs', 'verify.total(password)'],
    ['check.rs', 'name.password'],
    ['check.rs', '*password.total'],
    ['check.rs', 'name in password'],
    ['check.rs', 'for name in items'],
    ['shop.py', 'user.price'],
    ['shop.py', 'count not in price'],
    ['shop.py', 'for price, count in item'],
    ['shop.py', 'if not price'],
    ['shop.py', 'assert discount'],
    ['shop.py', 'price = count'],
    ['shop.py', 'def price_from(user):'],
    ['shop.py', 'user.item = price'],
    ['shop.py', 'from tools import price'],
    ['shop.py', 'import price'],
    ['shop.py', 'if price < item:'],
    ['shop.py', 'return price_off'],
  ]

  test.each(absent.flatMap((row) => editOperations.map((operation) => [...row, operation] as const)))(
    'is not a description of the code around similar words: %s: %s, %s',
    async (path, location, operation) => {
      const error = await expectFailure(
        bench.edit({ path, location, operation, ...(operation === 'delete' ? {} : { content: 'x' }) }),
        'no_match',
      )
      expect(error.message).toMatch(
        /is code that "[^"]+" does not contain\. Edit not applied\. (?:Most|The file has no similar lines)/,
      )
      expect(error.message.match(/^[\w.]+:\d+: /gm)?.length ?? 0).toBeLessThanOrEqual(3)
      expect(error.next).toContain('name of a definition')
      expect(await bench.onDisk(path)).toBe(files[path])
    },
  )

  test('is refused with the most similar lines', async () => {
    const { message } = await expectFailure(
      bench.edit({ path: 'check.rs', location: 'name = password', operation: 'delete' }),
      'no_match',
    )
    expect(message).toContain('check.rs:2: if name == password {')
  })
})

describe('a statement that is written almost like in the file', () => {
  test.each<[file: keyof typeof files, location: string, statement: string]>([
    ['check.rs', 'let total=compute_total( name,3 );', '    let total = compute_total(name, 3);\n'],
    ['check.rs', 'let totl = compute_total(name, 3);', '    let total = compute_total(name, 3);\n'],
    ['check.rs', 'log_atempt(name);', '    log_attempt(name);\n'],
    ['shop.py', 'price=item.price*count', '    price = item.price * count\n'],
    ['shop.py', 'if price>100:\n    price = price-discount', '    if price > 100:\n        price = price - discount\n'],
    ['shop.py', 'retrun price_of(user.item, 1)', '    return price_of(user.item, 1)\n'],
  ])('is the statement: %s: %s', async (path, location, statement) => {
    const indent = statement.slice(0, -statement.trimStart().length)
    await bench.edit({ path, location, operation: 'replace', content: `${indent}x()${path === 'check.rs' ? ';' : ''}` })
    expect(await bench.onDisk(path)).toBe(
      files[path].replace(statement, `${indent}x()${path === 'check.rs' ? ';' : ''}\n`),
    )
  })

  test('is refused if a second line is as similar', async () => {
    await writeTree(bench.folder.root, { 'twins.py': 'first_value = 1\nfirst_valuf = 1\n' })
    await expectFailure(bench.edit({ path: 'twins.py', location: 'first_valu = 1', operation: 'delete' }), 'no_match')
  })
})

test.each([
  'the function that handles authentication',
  'function testing whether the text starts with "event:"',
  "periodic refresh of the lock's mtime",
  'the function that sets x = 1',
  'socket error handler',
  'returns the total of all items',
  'getUser() method',
  'handling of control frames like ping and close',
  'key-value store',
  'set a file descriptor to non-blocking mode',
])('a description in words is not code: %s', (location) => expect(looksLikeCode(location)).toBe(false))
