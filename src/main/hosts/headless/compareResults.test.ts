import { expect, it } from 'vitest'
import type { ToolItem } from '../../../shared/agent/conversation.ts'
import { compareResults } from './compareResults.ts'

const toolItem = (text: string): Pick<ToolItem, 'result'> => ({
  result: { ok: true, text, view: { kind: 'text' }, elapsedMs: 1, arguments: {}, truncated: false },
})
const compare = (then: string, now: string) => compareResults(toolItem(then), toolItem(now))

it('a different duration of a command is not a difference', () => {
  expect(compare('ran\n[exit 0 after 1.3 s in .]', 'ran\n[exit 0 after 0.0 s in .]')).toEqual({ same: true })
})

it('a different exit code, folder or output is a difference', () => {
  const recorded = '[exit 0 after 1.3 s in .]'
  for (const now of ['[exit 1 after 1.3 s in .]', '[exit 0 after 1.3 s in src]', 'ran'])
    expect(compare(recorded, now)).toEqual({ same: false, line: 1, recorded, now })
})

it('a call that was not made is a difference', () => {
  expect(compareResults(toolItem('ran'), undefined)).toMatchObject({ same: false, now: '(the call was not made)' })
})
