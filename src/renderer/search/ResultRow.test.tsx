import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ResultRow } from './ResultRow.tsx'
import type { SearchOptions, SearchRow } from './searchStore.ts'

// Only the fields that are read.
const options = { query: 'x', regex: false, replacing: false } as SearchOptions

function shownLine(text: string): HTMLElement | null {
  const row = { kind: 'match', match: { path: 'a', line: 1, column: text.indexOf('x') + 1, text } } as SearchRow
  return render(<ResultRow row={row} id="r" active={false} options={options} />).container.querySelector('.search-text')
}

describe('a found line', () => {
  it.each([
    ['const שלום = x', 'ltr'],
    ['שלום x', 'rtl'],
    ['1. مرحبا x', 'rtl'],
    ['x', 'ltr'],
  ])('%s has the direction of its first letter', (text, direction) => {
    expect(shownLine(text)?.dir).toBe(direction)
  })

  it('shows characters that change the direction', () => {
    expect(shownLine('if x { // \u202e } a')?.textContent).toContain(String.raw`// \u202e } a`)
  })
})
