import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { webSchema, type WebSettings } from '../../shared/settings.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { WebFields } from './WebSettings.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
})
afterEach(cleanup)

const web = (change: Partial<WebSettings> = {}): WebSettings => ({ ...webSchema.parse({}), ...change })
const asked = (method: string) => main.asked.filter((each) => each.method === method).map(({ params }) => params)
const leave = (label: string, value: string) => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
  fireEvent.blur(screen.getByLabelText(label))
}

it('turns the web off with one setting and keeps the others', async () => {
  const now = web({ search: 'brave', localOrigins: ['http://localhost:3000'] })
  render(<WebFields web={now} />)
  fireEvent.click(screen.getByLabelText('Let tools reach the web'))
  await waitFor(() => expect(asked('settings.set')).toEqual([{ web: { ...now, enabled: false } }]))
})

it('asks for the address of SearXNG where it is chosen, and saves no wrong one', async () => {
  const { rerender } = render(<WebFields web={web()} />)
  expect(screen.queryByLabelText('Address of the SearXNG server')).toBeNull()
  rerender(<WebFields web={web({ search: 'searxng' })} />)
  leave('Address of the SearXNG server', 'box:8080/')
  expect(screen.getByRole('alert').textContent).toBe('An http or https address.')
  leave('Address of the SearXNG server', ' http://box:8080/ ')
  await waitFor(() => expect(asked('settings.set')).toMatchObject([{ web: { searxngUrl: 'http://box:8080/' } }]))
})

it('stores and forgets a key for Brave without showing it', async () => {
  render(<WebFields web={web({ search: 'brave', hasBraveKey: true })} />)
  const field = screen.getByLabelText<HTMLInputElement>('Brave key')
  expect(field.value).toBe('')
  fireEvent.change(field, { target: { value: 's3cret' } })
  fireEvent.click(screen.getByRole('button', { name: 'Store key' }))
  await waitFor(() => expect(field.value).toBe(''))
  fireEvent.click(screen.getByRole('button', { name: 'Forget key' }))
  await waitFor(() => expect(asked('web.setBraveKey')).toEqual([{ key: 's3cret' }, { key: null }]))
  expect(asked('settings.set')).toEqual([])
})

it('takes addresses on the own network as whole origins only', async () => {
  render(<WebFields web={web()} />)
  leave('Addresses on your own network', 'http://localhost:3000/path')
  expect(screen.getByRole('alert').textContent).toContain('Only scheme, name and port')
  leave('Addresses on your own network', 'http://localhost:3000\nhttp://192.168.1.5\n')
  await waitFor(() =>
    expect(asked('settings.set')).toMatchObject([
      { web: { localOrigins: ['http://localhost:3000', 'http://192.168.1.5'] } },
    ]),
  )
})
