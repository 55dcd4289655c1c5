import { expect, test } from 'vitest'
import { isProtectedPath } from '../approval/protectedPaths.ts'
import { cursorIn } from '../code/cursor.ts'
import { looksLikePrompt } from '../command/inputWait.ts'
import { findProgram } from '../command/program.ts'
import { parseFrontMatter } from '../instructions/frontMatter.ts'
import { isCut } from '../tools/repair.ts'

// Texts of a megabyte on which an expression that backtracks takes minutes. Each is what a workspace, a program or a model may send.
const length = 1_000_000

test('a megabyte made for it does not hold up the main process', async () => {
  expect(isCut(`{"a":1}${' '.repeat(length)}x`)).toBe(false)
  expect(looksLikePrompt(`${'(y/'.repeat(length / 4)}x`)).toBe(false)
  expect(isProtectedPath(`${'.'.repeat(length)}x`)).toBe(false)
  expect(parseFrontMatter(`---\ndescription: x\n-${' '.repeat(length)}\u2028x\n---\n`).fields.get('description')).toEqual(['x', 'x'])
  expect(cursorIn('a.ts', `${'a'.repeat(length)};${'a'.repeat(length)}`, 1, length + 3).word?.text).toHaveLength(length)
  await expect(findProgram(`${'1'.repeat(length)}a`, '/', { PATH: '/usr/bin' })).rejects.toMatchObject({ code: 'command_not_found' })
})
