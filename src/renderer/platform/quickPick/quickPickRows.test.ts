import { describe, expect, it } from 'vitest'
import type { QuickPickItem } from './quickPick.ts'
import { filterRows, markRow } from './quickPickRows.ts'

const items: QuickPickItem[] = [
  { id: '1', label: 'qwen-coder', heading: 'Workstation · http://127.0.0.1:8080' },
  { id: '2', label: 'gemma', description: 'vision' },
  { id: '3', label: 'qwen-small', heading: 'Laptop · http://127.0.0.1:11434' },
]
const found = (query: string) => filterRows(query, items).map(({ item }) => item.id)

describe('the rows of a picker', () => {
  it('are found by description and heading too', () => {
    expect(found('vision')).toEqual(['2'])
    expect(found('laptop')).toEqual(['3'])
    expect(found('qwen 11434')).toEqual(['3'])
    expect(found('nothing')).toEqual([])
  })

  it('are found by other names, after those whose label matches', () => {
    const commands = [
      { id: 'close', label: 'File: Close all tabs', keywords: 'Close all editors' },
      { id: 'editors', label: 'View: Close all editors of group' },
    ]
    expect(filterRows('close all editors', commands).map(({ item }) => item.id)).toEqual(['editors', 'close'])
  })

  it('keep their order for an empty query', () => {
    expect(found(' ')).toEqual(['1', '2', '3'])
  })

  it('keep the heading of their group when they are filtered', () => {
    expect(filterRows('gemma', items)[0]?.heading).toContain('Workstation')
  })

  it('stay in their groups, best match first', () => {
    const rows = [
      { id: 'x', label: 'a-needle', heading: 'One' },
      { id: 'y', label: 'unrelated' },
      { id: 'z', label: 'needle', heading: 'Two' },
      { id: 'w', label: 'some needle' },
    ]
    expect(filterRows('needle', rows).map(({ item }) => item.id)).toEqual(['z', 'w', 'x'])
  })
})

it('marks the letters that a query matches, in a name or in the path of its folder', () => {
  const marked = (label: string, description: string | undefined, query: string) => {
    const { positions, descriptionPositions = [] } = markRow(
      {
        item: { id: '1', label, ...(description !== undefined && { description }) },
        positions: [],
        heading: undefined,
      },
      query,
    )
    const pick = (text: string, at: number[]) => at.map((index) => text[index]).join('')
    return [pick(description ?? '', descriptionPositions), pick(label, positions)]
  }
  expect(marked('main.ts', 'src/app', 'mts')).toEqual(['', 'mts'])
  expect(marked('main.ts', 'src/app', 'src/ma')).toEqual(['src/', 'ma'])
  expect(marked('main.ts', 'src/app', 'app\\main')).toEqual(['app', 'main'])
  expect(marked('main.ts', undefined, 'xyz')).toEqual(['', ''])
})
