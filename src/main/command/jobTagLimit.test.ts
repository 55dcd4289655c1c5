import { expect, it } from 'vitest'
import { isJobTagLimit, parseLocksLimit, withJobTagLimit } from './jobTagLimit.ts'

const limitOf = (jobTag: string): number =>
  Number(/ulimit -x (\d+)/.exec(withJobTagLimit({ file: '/bin/bash', args: [] }, jobTag).args.join(' '))?.[1])

it.runIf(process.platform === 'linux')('a limit belongs to one command and to its instance, and to no other', () => {
  const limit = limitOf('0123456789abcdef.job-1a2b3c')
  expect(Number.isSafeInteger(limit)).toBe(true)
  expect(isJobTagLimit(limit, '0123456789abcdef.job-1a2b3c')).toBe(true)
  expect(isJobTagLimit(limit, '0123456789abcdef')).toBe(true)
  expect(isJobTagLimit(limit, '0123456789abcdef.job-ffffff')).toBe(false)
  expect(isJobTagLimit(limit, 'fedcba9876543210')).toBe(false)
})

it('a shell other than bash gets no limit, because its ulimit may not know it', () => {
  const invocation = { file: '/bin/sh', args: ['-c', 'true'] }
  expect(withJobTagLimit(invocation, '0123456789abcdef.job-1a2b3c')).toEqual(invocation)
})

it('reads the limit on file locks, and none where it is unlimited', () => {
  const line = (limit: string) =>
    `Max address space         unlimited  unlimited  bytes\nMax file locks            ${limit}  locks\n`
  expect(parseLocksLimit(line('2251799813685248     2251799813685248'))).toBe(2_251_799_813_685_248)
  expect(parseLocksLimit(line('unlimited            unlimited'))).toBeUndefined()
})
