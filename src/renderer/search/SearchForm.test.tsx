import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { testMain } from '../testing/testMain.ts'
import { SearchForm } from './SearchForm.tsx'
import { useSearch } from './searchStore.ts'

afterEach(cleanup)

it('Alt+C, Alt+W and Alt+R toggle the options, as in VS Code', () => {
  testMain()
  render(<SearchForm />)
  const field = screen.getByRole('textbox', { name: 'Search' })
  const pressed = () =>
    ['Match case', 'Match whole word', 'Use regular expression'].map((name) =>
      screen.getByRole('button', { name }).getAttribute('aria-pressed'),
    )
  fireEvent.keyDown(field, { key: 'r', code: 'KeyR', altKey: true })
  expect(pressed()).toEqual(['false', 'false', 'true'])
  fireEvent.keyDown(field, { key: 'c', code: 'KeyC', altKey: true })
  fireEvent.keyDown(field, { key: 'w', code: 'KeyW', altKey: true })
  fireEvent.keyDown(field, { key: 'r', code: 'KeyR', altKey: true, ctrlKey: true })
  expect(pressed()).toEqual(['true', 'true', 'true'])
  fireEvent.keyDown(field, { key: 'r', code: 'KeyR', altKey: true })
  expect(useSearch.getState().options).toMatchObject({ caseSensitive: true, wholeWord: true, regex: false })
})
