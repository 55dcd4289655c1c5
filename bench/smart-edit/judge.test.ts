import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../src/main/tools/testing/toolContext.ts'
import { judgeDescriptions } from './judge.ts'

test('finds at least 30 of 40 described places in real code, and never a wrong one', async () => {
  const folder = await temporaryFolder()
  try {
    const judged = await judgeDescriptions(join(folder.root, 'index.db'))
    const of = (verdict: string) => judged.filter((one) => one.verdict === verdict)
    expect(of('wrong')).toEqual([])
    expect(of('applied').length + of('refused').length).toBe(40)
    expect(of('applied').length).toBeGreaterThanOrEqual(30)
    expect(of('rightly refused')).toHaveLength(10)
  } finally {
    await folder.remove()
  }
})
