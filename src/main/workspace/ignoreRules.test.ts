import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../tools/testing.ts'
import { ignoreRulesFor } from './ignoreRules.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ '.git/HEAD': '', '.gitignore': '*a*a*a*a*a*a*a*a*b\n**/a/**/a/**/a/**/a/**/b\r\n*.log\r\n!keep*.log\n/*x*y*z\n' })
})
afterEach(() => folder.remove())

test('a rule made to match for hours is left out, and the others hold', async () => {
  const ignored = await ignoreRulesFor(folder.root)
  expect([`${'a'.repeat(250)}c`, 'a.log', 'keep.log', '1x2y3z', '.git'].map((name) => ignored(name, false))).toEqual([false, true, false, true, true])
})
