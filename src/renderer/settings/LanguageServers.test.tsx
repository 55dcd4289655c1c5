import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LanguageServerStatus } from '../../shared/language/languageServers.ts'
import { useLanguages } from '../platform/languages/languageStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { LanguageServers } from './LanguageServers.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
})
afterEach(cleanup)

const server = (changes: Partial<LanguageServerStatus>): LanguageServerStatus => ({
  id: 'yaml',
  title: 'YAML language server',
  languages: ['YAML'],
  state: 'missing',
  detail: '',
  installable: true,
  ...changes,
})
const row = () => within(screen.getByRole('region', { name: 'Language server YAML language server' }))

it('a missing server is installed by its button, and shows its new state', async () => {
  main.responses['language.install'] = () => ({
    servers: [server({ state: 'running', memory: 2048 })],
    problems: [],
    programs: [],
  })
  useLanguages.setState({ servers: [server({})] })
  render(<LanguageServers />)
  expect(row().getByText('Not installed')).toBeTruthy()
  fireEvent.click(row().getByRole('button', { name: 'Install YAML language server' }))
  await vi.waitFor(() => expect(row().getByText('Running')).toBeTruthy())
  expect(row().getByText(/KB of memory/)).toBeTruthy()
  expect(main.requests).toContainEqual({ method: 'language.install', params: { server: 'yaml' } })
})

it('a failed server can be restarted, and its log shows', async () => {
  main.responses['language.log'] = () => ['It broke.']
  useLanguages.setState({ servers: [server({ state: 'failed', detail: 'Ended 5 times.' })] })
  render(<LanguageServers />)
  await act(async () => fireEvent.click(row().getByRole('button', { name: 'YAML language server log' })))
  await vi.waitFor(() => expect(row().getByText('It broke.')).toBeTruthy())
  fireEvent.click(row().getByRole('button', { name: 'Restart YAML language server' }))
  await vi.waitFor(() =>
    expect(main.requests).toContainEqual({ method: 'language.restart', params: { server: 'yaml' } }),
  )
})

it('a program that changed since the folder was trusted is listed and can be allowed', async () => {
  main.responses['language.allowProgram'] = () => ({ servers: [server({})], problems: [], programs: [] })
  useLanguages.setState({ servers: [server({ state: 'blocked' })], programs: ['node_modules/.bin/prettier'] })
  render(<LanguageServers />)
  expect(row().getByText('Blocked')).toBeTruthy()
  const name = 'Allow node_modules/.bin/prettier'
  fireEvent.click(screen.getByRole('button', { name }))
  await vi.waitFor(() => expect(screen.queryByRole('button', { name })).toBeNull())
  expect(main.requests).toContainEqual({
    method: 'language.allowProgram',
    params: { path: 'node_modules/.bin/prettier' },
  })
})
