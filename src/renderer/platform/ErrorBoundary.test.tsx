import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lazyView } from './layout/lazyView.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'

// React and the boundary log the error that the test throws.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

it('loads a view again that failed to load', async () => {
  let online = false
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet' })
  document.head.append(link)
  const Part = lazyView(async () => {
    if (!online) throw new TypeError('Failed to fetch dynamically imported module: http://127.0.0.1/assets/Chat-1.js')
    return () => <p>Here I am</p>
  }, null)
  render(
    <ErrorBoundary name="The chat">
      <Part />
    </ErrorBoundary>,
  )
  expect(await screen.findByText('Tizona was updated. Reload the window.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy()
  online = true
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Here I am')).toBeTruthy()
  // A second link requests the style sheet again and replaces the failed one.
  expect(document.querySelectorAll('link[rel="stylesheet"]')).toHaveLength(2)
  document.querySelectorAll('link')[1]?.dispatchEvent(new Event('load'))
  expect(link.isConnected).toBe(false)
})

it('shows the message of a rendering error', async () => {
  const Broken = () => {
    throw new Error('x is undefined')
  }
  render(
    <ErrorBoundary name="The chat">
      <Broken />
    </ErrorBoundary>,
  )
  expect(await screen.findByText('This is a bug in Tizona: x is undefined')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Reload' })).toBeNull()
})

it('shows one line for a part, so that its view stays, and what replaces the part', async () => {
  let online = false
  const Part = lazyView(async () => {
    if (!online) throw new TypeError('Failed to fetch dynamically imported module: http://127.0.0.1/assets/Bar-1.js')
    return () => <p>Here I am</p>
  }, null)
  render(
    <main>
      <p>The text</p>
      <ErrorBoundary name="The bar" line="The bar cannot be shown." instead={<p>A plain bar</p>}>
        <Part />
      </ErrorBoundary>
    </main>,
  )
  expect((await screen.findByRole('alert')).textContent).toContain('The bar cannot be shown.')
  expect(screen.getByText('The text')).toBeTruthy()
  expect(screen.getByText('A plain bar')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy()
  online = true
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Here I am')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})
