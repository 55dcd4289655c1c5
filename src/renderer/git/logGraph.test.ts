import { describe, expect, it } from 'vitest'
import { graphRows } from './logGraph.ts'

/** `c: b a` is commit c with the parents b and a. */
const commits = (...lines: string[]) =>
  lines.map((line) => {
    const [hash = '', parents = ''] = line.split(':')
    return { hash, parents: parents.trim().split(' ').filter(Boolean) }
  })
const shown = (rows: ReturnType<typeof graphRows>['rows']) =>
  rows.map(
    ({ lane, lines }) =>
      `${lane} ${lines.map(({ from, to, half }) => `${from}${half === 'top' ? '^' : '_'}${to}`).join(' ')}`,
  )

describe('graph of the log', () => {
  it('a line of commits is one lane, which ends at the first commit', () => {
    expect(shown(graphRows(commits('b: a', 'a:')).rows)).toEqual(['0 0_0', '0 0^0'])
  })

  it('a merge opens a lane for its second parent, which ends where the branch began', () => {
    expect(shown(graphRows(commits('m: b c', 'c: a', 'b: a', 'a:')).rows)).toEqual([
      '0 0_0 0_1',
      '1 0^0 0_0 1^1 1_1',
      '0 0^0 1^1 1_1 0_1',
      '1 1^1',
    ])
  })

  it('two branches join in their common parent', () => {
    const { rows, lanes } = graphRows(commits('x: a', 'y: a', 'a: z'))
    expect(shown(rows)).toEqual(['0 0_0', '1 0^0 0_0 1_0', '0 0^0 0_0'])
    expect(lanes).toEqual(['z'])
  })

  it('continues on the next page', () => {
    const all = commits('m: b c', 'c: a', 'b: a', 'a:')
    const first = graphRows(all.slice(0, 2))
    expect([...first.rows, ...graphRows(all.slice(2), first.lanes).rows]).toEqual(graphRows(all).rows)
  })
})
