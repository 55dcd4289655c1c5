import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { create } from 'zustand'
import type { CellMatch } from './notebookFind.ts'
import type { NotebookSession } from './notebookSession.ts'
import { OutputView } from './OutputView.tsx'
import { plainText } from './outputText.ts'

afterEach(cleanup)

const match = (start: number, end: number, output = 0): CellMatch => ({
  key: 'a',
  output,
  start,
  end,
  range: { startLineNumber: 1, startColumn: 1, endLineNumber: 1, endColumn: 1 },
  groups: [],
})

/** Renders an output with matches, of which the last is the current one. @returns its marks */
function marks(text: string, matches: CellMatch[]): string[] {
  // The view uses only the store.
  const session = {
    store: create(() => ({ find: { matches, current: matches.at(-1) }, revealed: null })),
  } as unknown as NotebookSession
  const output = { output_type: 'stream', name: 'stdout', text } as const
  const { container } = render(<OutputView output={output} session={session} cellKey="a" index={0} />)
  expect(container.querySelector('pre')?.textContent).toBe(plainText(text))
  return [...container.querySelectorAll('mark')].map((mark) =>
    mark.hasAttribute('data-current') ? `[${mark.textContent}]` : (mark.textContent ?? ''),
  )
}

it('matches are marked across colors, and the current one is another', () => {
  expect(marks('a \u001b[31mto\u001b[0mtal to', [match(0, 1, 1), match(2, 7), match(8, 10)])).toEqual([
    'to',
    'tal',
    '[to]',
  ])
})

it('a match behind what is shown at first shows the whole text', () => {
  const text = `${'x\n'.repeat(15_000)}total`
  expect(marks(text, [match(30_000, 30_005)])).toEqual(['[total]'])
})
