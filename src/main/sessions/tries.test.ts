import { expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { TryResult } from '../../shared/agent/sessionTries.ts'
import type { SessionRecord } from './sessionRecords.ts'
import type { Sessions } from './sessions.ts'
import { failTry, finishTry } from './tries.ts'

const turn = { outcome: 'done', tokens: 900, seconds: 30 } as const
const changes = () =>
  Promise.resolve({
    changes: [{ path: 'a', base: null, now: { kind: 'file', content: Buffer.from('1\n2\n'), mode: 0o644 } }],
    skipped: [],
  }) as unknown as ReturnType<Sessions['changes']>
const missing = () => Promise.reject(new ToolError('not_found', 'The worktree is missing.', 'Check the folder.'))

/** A session whose result is stored. */
function stored(read: Sessions['changes']) {
  const record = { id: 's', try: { test: 'make' } as SessionRecord['try'] } as SessionRecord
  const sessions = {
    find: () => Promise.resolve(record),
    changes: read,
    endTry: (_id: string, result: TryResult) => {
      if (record.try) record.try = { ...record.try, result }
      return Promise.resolve()
    },
  }
  return { sessions, record }
}

it('a try that fails outside its turn has its lines measured, and nothing that is unknown', async () => {
  const { sessions, record } = stored(changes)
  const result = await failTry(sessions, 's', new Error('lost'))
  expect(result).toMatchObject({ outcome: 'failed', seconds: null, tokens: null, files: 1, added: 2, removed: 0 })
  expect(record.try?.result).toEqual(result)
})

it('a try that fails after its turn keeps its tokens and seconds', async () => {
  const { sessions, record } = stored(missing)
  const finishing = finishTry(sessions, record, turn, () => Promise.reject(new Error('lost')))
  await expect(finishing).rejects.toThrow('lost')
  const known = { tokens: 900, seconds: 30, files: null, added: null, removed: null }
  expect(record.try?.result).toMatchObject({ outcome: 'failed', ...known })
  // Its core reports the same failure.
  expect(await failTry(sessions, 's', new Error('lost'))).toMatchObject(known)
})
