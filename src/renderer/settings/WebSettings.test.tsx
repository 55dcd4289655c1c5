import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settingsSchema, type Settings, type WebSettings } from '../../shared/settings/settings.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { SettingFields } from './SettingFields.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
})
afterEach(cleanup)

const settingsWith = (web: Partial<WebSettings> = {}): Settings => settingsSchema.parse({ web })
const fields = (web: Partial<WebSettings> = {}) => <SettingFields group="web" settings={settingsWith(web)} />
const asked = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)
const leave = (label: string, value: string) => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
  fireEvent.blur(screen.getByLabelText(label))
}

it('turns web access off and keeps the other web settings', async () => {
  const { web } = settingsWith({ search: 'brave', localOrigins: ['http://localhost:3000'] })
  render(fields(web))
  fireEvent.click(screen.getByLabelText('Allow tools to use the web'))
  await waitFor(() => expect(asked('settings.set')).toEqual([{ web: { ...web, enabled: false } }]))
})

it('shows the SearXNG URL only for SearXNG, and saves only a valid one', async () => {
  const { rerender } = render(fields())
  expect(screen.queryByLabelText('SearXNG server URL')).toBeNull()
  rerender(fields({ search: 'searxng' }))
  leave('SearXNG server URL', 'box:8080/')
  expect(screen.getByRole('alert').textContent).toBe('Enter an http or https URL.')
  leave('SearXNG server URL', ' http://box:8080/ ')
  await waitFor(() => expect(asked('settings.set')).toMatchObject([{ web: { searxngUrl: 'http://box:8080/' } }]))
})

it('saves and removes the Brave key without showing it', async () => {
  render(fields({ search: 'brave', hasBraveKey: true }))
  const field = screen.getByLabelText<HTMLInputElement>('Brave API key')
  expect(field.value).toBe('')
  fireEvent.change(field, { target: { value: 's3cret' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save key' }))
  await waitFor(() => expect(field.value).toBe(''))
  fireEvent.click(screen.getByRole('button', { name: 'Remove key' }))
  await waitFor(() => expect(asked('web.setBraveKey')).toEqual([{ key: 's3cret' }, { key: null }]))
  expect(asked('settings.set')).toEqual([])
})

it('accepts only whole origins as local addresses', async () => {
  render(fields())
  leave('Allowed local addresses', 'http://localhost:3000/path')
  expect(screen.getByRole('alert').textContent).toContain('scheme, host and port')
  leave('Allowed local addresses', 'http://localhost:3000\nhttp://192.168.1.5\n')
  await waitFor(() =>
    expect(asked('settings.set')).toMatchObject([
      { web: { localOrigins: ['http://localhost:3000', 'http://192.168.1.5'] } },
    ]),
  )
})
