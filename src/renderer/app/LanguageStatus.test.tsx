import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { LanguageServerState, LanguageServerStatus } from '../../shared/language/languageServers.ts'
import { useEditorStatus } from '../platform/editor/editorViews.ts'
import { useLanguages } from '../platform/languages/languageStore.ts'
import { LanguageServerItem } from './LanguageStatus.tsx'

afterEach(cleanup)

const server = (title: string, state: LanguageServerState, ...languages: string[]): LanguageServerStatus => ({
  id: title,
  title,
  languages,
  state,
  detail: '',
  installable: false,
})

it.each([
  ['TypeScript', 'Language server TypeScript 7: Running. Show language servers.'],
  ['Python', 'Language server Pyright: Failed. Show language servers.'],
  // The first one that is installed answers.
  ['JavaScript', 'Language server ESLint: Starting…. Show language servers.'],
])('the item shows the server of a %s file', (language, name) => {
  useLanguages.setState({
    servers: [
      server('TypeScript 7', 'running', 'TypeScript'),
      server('Pyright', 'failed', 'Python'),
      server('Other', 'missing', 'JavaScript'),
      server('ESLint', 'starting', 'JavaScript'),
    ],
  })
  useEditorStatus.setState({ language })
  render(<LanguageServerItem />)
  expect(screen.getByRole('button', { name })).toBeTruthy()
})

it('a file without a server has no item', () => {
  useEditorStatus.setState({ language: 'Plain Text' })
  render(<LanguageServerItem />)
  expect(screen.queryByRole('button')).toBeNull()
})
