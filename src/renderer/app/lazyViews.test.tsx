import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useDebug } from '../platform/debug/debugStore.ts'
import { stoppedSession } from '../debug/testing/sessions.ts'
import { testMain } from '../testing/testMain.ts'
import { LazyDebugToolbar, LazyTimeline } from './lazyViews.tsx'

const broken = (): never => {
  throw new TypeError('Failed to fetch dynamically imported module')
}
vi.mock('../debug/DebugToolbar.tsx', () => ({ DebugToolbar: broken }))
vi.mock('../timeline/Timeline.tsx', () => ({ Timeline: broken }))

beforeEach(() => {
  testMain()
  // React and the boundary log the error that the test throws.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  cleanup()
  useDebug.setState(useDebug.getInitialState(), true)
  vi.restoreAllMocks()
})

it('a debug toolbar that fails to load leaves the editor', async () => {
  useDebug.setState({ sessions: [stoppedSession({})] })
  render(
    <main>
      <p>The open file</p>
      <LazyDebugToolbar />
    </main>,
  )
  expect((await screen.findByRole('alert')).textContent).toContain('The debug toolbar cannot be shown.')
  expect(screen.getByText('The open file')).toBeTruthy()
})

it('a timeline that fails to load leaves the explorer, and can be folded', async () => {
  render(
    <aside>
      <p>The file tree</p>
      <LazyTimeline />
    </aside>,
  )
  expect((await screen.findByRole('alert')).textContent).toContain('The timeline cannot be shown.')
  expect(screen.getByText('The file tree')).toBeTruthy()
  expect(screen.getByRole('button', { name: /timeline/i, expanded: true })).toBeTruthy()
})
