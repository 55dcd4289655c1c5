import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { focusConflictBar } from './unsavedChanges.ts'
import { DocumentBars, FailurePage } from './DocumentBars.tsx'
import type { DocumentState } from '../platform/editor/documents/tabDocuments.ts'

afterEach(cleanup)

const state: DocumentState = {
  path: 'a.txt',
  status: 'ready',
  dirty: true,
  disk: 'changed',
  readonly: false,
  large: false,
  format: { encoding: 'utf8', eol: '\n' },
}

it('saving a conflicting file focuses the actions of the conflict bar', () => {
  render(<DocumentBars document={state} />)
  expect(document.activeElement).toBe(document.body)
  act(() => focusConflictBar('other.txt'))
  expect(document.activeElement).toBe(document.body)
  act(() => focusConflictBar('a.txt'))
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Compare' }))
})

it('a conflict found without saving does not move the focus', () => {
  const { rerender } = render(<DocumentBars document={{ ...state, disk: 'same' }} />)
  rerender(<DocumentBars document={state} />)
  expect(document.activeElement).toBe(document.body)
})

it('a read-only file can be made writable', () => {
  render(<DocumentBars document={{ ...state, disk: 'same', readonly: true }} />)
  expect(screen.getByText(/The file is read-only.*Your changes exist only in this tab/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Make writable' })).toBeTruthy()
})

it('a binary file shows its kind, without advice for the model and without a retry button', () => {
  const message = '"logo.png" is a binary file (PNG image, 12 KB), not text.'
  const failure = { code: 'binary_file', message, next: 'Work on the source it is made from.' } as const
  render(<FailurePage document={{ ...state, status: 'failed', failure }} />)
  expect(screen.getByText('This file is binary (PNG image, 12 KB) and cannot be edited as text.')).toBeTruthy()
  expect(screen.queryByText(/Work on the source/)).toBeNull()
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Show bytes'])
})

it('a file that cannot be read offers to retry', () => {
  render(
    <FailurePage
      document={{ ...state, status: 'failed', failure: { code: 'permission_denied', message: 'No.', next: '' } }}
    />,
  )
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
})
