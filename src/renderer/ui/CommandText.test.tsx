import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { CommandText } from './CommandText.tsx'

afterEach(cleanup)

test('keeps each word with a hyphen whole, and changes nothing of the text', () => {
  const command = 'npm test -- --reporter=verbose\n  rm -rf  my-folder'
  const { container } = render(<CommandText text={command} />)
  expect(container.textContent).toBe(command)
  const words = [...container.querySelectorAll('.ui-command-word')].map((word) => word.textContent)
  expect(words).toEqual(['--', '--reporter=verbose', '-rf', 'my-folder'])
})

test('marks hidden characters within a word', () => {
  const { container } = render(<CommandText text={'rm -r\u001Bf'} />)
  expect(container.querySelector('.ui-command-word mark')).not.toBeNull()
})

test('marks a blank that does not separate words', () => {
  const { container } = render(<CommandText text={'ls\u00a0-la'} />)
  expect(container.querySelector('mark')?.textContent).toBe('\\u00a0')
})

test('a very long command has no elements for its words and hidden characters, but all of its text', () => {
  const command = `${'rm -rf a; '.repeat(50_000)}\u202e${'\u200b'.repeat(5000)}`
  const { container } = render(<CommandText text={command} />)
  expect(container.querySelectorAll('*').length).toBeLessThan(3)
  expect(container.textContent).toContain(String.raw`a; \u202e\u200b`)
  expect(container.textContent?.startsWith('rm -rf a; rm')).toBe(true)
})
