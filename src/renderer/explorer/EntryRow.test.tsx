import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { FileEntry } from '../../shared/files/files.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { useProblems } from '../platform/languages/problemsStore.ts'
import { EntryRow } from './EntryRow.tsx'

afterEach(() => {
  cleanup()
  useProblems.setState(useProblems.getInitialState(), true)
  useGit.setState(useGit.getInitialState(), true)
})

function show(path: string, type: FileEntry['type']) {
  const entry: FileEntry = { name: path, path, type, directory: type === 'directory', ignored: false }
  render(
    <EntryRow
      row={{ kind: 'entry', entry, depth: 0, expanded: false }}
      selected={false}
      dropTarget={false}
      onMenu={() => undefined}
    />,
  )
  const row = screen.getByRole('treeitem', { name: path })
  return {
    description: row.getAttribute('aria-description'),
    mark: row.querySelector('.explorer-mark')?.getAttribute('data-letter'),
    color: row.querySelector<HTMLElement>('.explorer-name')?.style.color,
  }
}

it('a file with problems and changes shows both, in the color of the problems', () => {
  useProblems.setState({ marks: new Map([['a.ts', { severity: 'error', count: 12 }]]) })
  const modified = { kind: 'modified', label: 'Modified', letter: 'M' } as const
  useGit.setState({ decorations: { files: new Map([['a.ts', modified]]), folders: new Map() } })
  expect(show('a.ts', 'file')).toEqual({
    description: '12 problems, Modified',
    mark: '9+, M',
    color: 'var(--color-problem-error)',
  })
})

it('a folder that contains problems has a dot', () => {
  useProblems.setState({ marks: new Map([['src', { severity: 'warning', count: 1 }]]) })
  expect(show('src', 'directory')).toEqual({
    description: 'Contains 1 problem',
    mark: '•',
    color: 'var(--color-warning)',
  })
})
