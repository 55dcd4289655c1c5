import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import { testMain } from '../testing/testMain.ts'
import { Outline } from './Outline.tsx'
import { useOutline } from './outlineStore.ts'

afterEach(cleanup)

it('a letter typed in the tree opens the filter at once, so that the next key reaches it', () => {
  testMain()
  render(<Outline />)
  const symbol: OutlineSymbol = {
    id: 'a.ts::add#function',
    name: 'add',
    kind: 'function',
    container: '',
    parent: null,
    signature: 'function add()',
    path: 'a.ts',
    line: 1,
    column: 1,
    endLine: 2,
    endColumn: 2,
    nameLine: 1,
    nameColumn: 10,
  }
  act(() =>
    useOutline.setState({
      path: 'a.ts',
      outline: { path: 'a.ts', language: 'TypeScript', supported: true, problem: '', symbols: [symbol] },
    }),
  )
  fireEvent.keyDown(screen.getByRole('tree'), { key: 'a' })
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Filter symbols' }))
})
