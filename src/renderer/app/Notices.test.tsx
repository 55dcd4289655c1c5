import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { notify, showNoticeList, useNotices } from '../platform/notices.ts'
import { Notices, NoticeToasts } from './Notices.tsx'

beforeEach(() => {
  vi.useFakeTimers()
  useNotices.setState({ notices: [], unread: 0, listOpen: false })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it('an error toast moves to the notice list after ten seconds', () => {
  render(<NoticeToasts />)
  act(() => notify('error', 'No connection'))
  act(() => void vi.advanceTimersByTime(9000))
  expect(screen.getByText('No connection')).toBeTruthy()
  act(() => void vi.advanceTimersByTime(2000))
  expect(screen.queryByText('No connection')).toBeNull()
  expect(useNotices.getState().notices).toMatchObject([{ message: 'No connection', toast: false }])
})

it('a toast stays while it is hovered or focused', () => {
  render(<NoticeToasts />)
  act(() => notify('warning', 'Careful'))
  const toast = screen.getByRole('status')
  fireEvent.pointerEnter(toast)
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.getByText('Careful')).toBeTruthy()
  act(() => screen.getByRole('button', { name: 'Dismiss notice' }).focus())
  fireEvent.pointerLeave(toast)
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.getByText('Careful')).toBeTruthy()
  act(() => screen.getByRole('button', { name: 'Dismiss notice' }).blur())
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.queryByText('Careful')).toBeNull()
})

it('a toast closes with its action, except with one that it stays for', () => {
  render(<NoticeToasts />)
  const run = vi.fn()
  act(() =>
    notify('error', 'Push failed', {
      actions: [
        { label: 'Show details', stays: true, run },
        { label: 'Pull', run },
      ],
    }),
  )
  act(() => screen.getByRole('button', { name: 'Show details' }).click())
  expect(screen.getByText('Push failed')).toBeTruthy()
  act(() => screen.getByRole('button', { name: 'Pull' }).click())
  expect(screen.queryByText('Push failed')).toBeNull()
  expect(run).toHaveBeenCalledTimes(2)
})

it('the list announces no notice again, and its notices are no toasts after it closes', () => {
  render(
    <>
      <NoticeToasts />
      <Notices />
    </>,
  )
  act(() => notify('error', 'No connection'))
  expect(screen.getByRole('alert').textContent).toContain('No connection')
  act(() => showNoticeList(true))
  expect(screen.getByRole('listitem').textContent).toContain('No connection')
  expect(screen.queryByRole('alert')).toBeNull()
  act(() => showNoticeList(false))
  expect(screen.queryByText('No connection')).toBeNull()
})
