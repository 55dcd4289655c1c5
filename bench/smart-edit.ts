import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row } from './row.ts'
import { judgeDescriptions } from './smart-edit/judge.ts'

/**
 * Measures how often smart_edit finds the described place in installed packages, and how often it would edit a wrong
 * one.
 */
export async function measure(): Promise<Row[]> {
  const data = await mkdtemp(join(tmpdir(), 'tizona-bench-smart-edit-'))
  try {
    const judged = await judgeDescriptions(join(data, 'index.db'))
    const count = (...verdicts: string[]) => judged.filter(({ verdict }) => verdicts.includes(verdict)).length
    const all = count('applied', 'wrong', 'refused')
    const none = judged.length - all
    const how = `${all} descriptions of places and ${none} of none or several, in 8 files of JavaScript, TypeScript, Python, C++ and C#`
    const share = (some: number, of: number) => (100 * some) / Math.max(1, of)
    return [
      {
        question: 'smart_edit: described places that are found',
        value: share(count('applied'), all),
        unit: '%',
        goal: 75,
        how,
      },
      {
        question: 'smart_edit: of its edits by description, in the right place',
        value: share(count('applied'), count('applied', 'wrong')),
        unit: '%',
        goal: 100,
        how: 'the same',
      },
    ]
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}
