import { Component, type ReactNode } from 'react'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { lazyView } from './lazyView.tsx'

afterEach(cleanup)

const Greeting = ({ name }: { name: string }) => <p>Hello {name}</p>

class Boundary extends Component<{ children: ReactNode }> {
  override state = { message: '' }
  static getDerivedStateFromError(error: Error) {
    return { message: error.message }
  }
  override render() {
    return this.state.message === '' ? this.props.children : <p>Failed: {this.state.message}</p>
  }
}

it('the fallback shows until the view has loaded, and a second one renders at once', async () => {
  const load = vi.fn(async () => Greeting)
  const View = lazyView(load, ({ name }: { name: string }) => <p>Wait, {name}</p>)
  render(<View name="Ada" />)
  expect(screen.getByText('Wait, Ada')).toBeTruthy()
  expect(await screen.findByText('Hello Ada')).toBeTruthy()
  render(<View name="Bo" />)
  expect(screen.getByText('Hello Bo')).toBeTruthy()
  expect(load).toHaveBeenCalledTimes(1)
})

it('a view that was loaded before renders at once', async () => {
  const load = vi.fn(async () => Greeting).mockRejectedValueOnce(new Error('offline'))
  const View = lazyView(load, <p>Wait</p>)
  await View.preload()
  await View.preload()
  render(<View name="Ada" />)
  expect(screen.getByText('Hello Ada')).toBeTruthy()
  await View.preload()
  expect(load).toHaveBeenCalledTimes(2)
})

it('a failure to load reaches the error boundary, and the next mount loads again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const load = vi.fn(async () => Greeting).mockRejectedValueOnce(new Error('offline'))
  const View = lazyView(load, <p>Wait</p>)
  render(
    <Boundary>
      <View name="Ada" />
    </Boundary>,
  )
  expect(await screen.findByText('Failed: offline')).toBeTruthy()
  cleanup()
  render(<View name="Ada" />)
  expect(await screen.findByText('Hello Ada')).toBeTruthy()
  vi.restoreAllMocks()
})
