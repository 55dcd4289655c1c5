import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ReviewFile, ReviewScope } from '../../shared/review/review.ts'
import { emptyReview, noChanges, useReview } from '../platform/review/reviewStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { ReviewDiffActions } from './ReviewDiffActions.tsx'

// Monaco cannot run in the DOM of the tests.
vi.mock('./inline/inlineReview.tsx', () => ({ attachInlineReview: vi.fn() }))

const file: ReviewFile = {
  path: 'a.txt',
  change: 'changed',
  content: 'text',
  added: 1,
  removed: 0,
  hunks: 1,
  revision: 1,
}
const turn: ReviewScope = { kind: 'turn', conversation: 'c', message: 'm' }

let main: TestMain
beforeEach(() => {
  main = testMain()
  useReview.setState({ ...emptyReview, pending: { ...noChanges, files: [file] } }, true)
})
afterEach(cleanup)

const show = () =>
  render(
    <ReviewDiffActions
      tab={{
        kind: 'diff',
        id: 'diff',
        title: 'a.txt (changes in one turn)',
        path: 'a.txt',
        original: '',
        modified: 'x',
        source: { feature: 'review', detail: turn },
      }}
      diffEditor={null}
      addedEditor={null}
      position={{ hunks: [], current: -1, selected: null, line: 1 }}
    />,
  )

it('shows the changes of its own turn while the view lists others', async () => {
  main.responses['review.list'] = ({ scope }) => ({
    ...noChanges,
    files: scope.kind === 'turn' ? [{ ...file, problem: 'Later changes are in the same place.' }] : [file],
  })
  show()
  expect(await screen.findByText('Later changes are in the same place.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Undo file' })).toBeTruthy()
})

it('offers nothing to keep once the changes of its turn are gone, even if the file has others', async () => {
  main.responses['review.list'] = () => noChanges
  show()
  expect(await screen.findByText('No changes left')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Keep file' })).toBeNull()
})
