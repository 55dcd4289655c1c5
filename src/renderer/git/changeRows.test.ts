import { describe, expect, it } from 'vitest'
import type { GitChange, GitStatusSummary } from '../../shared/git/git.ts'
import { treeDecorations } from '../platform/git/decorations.ts'
import { testStatus } from './testing/status.ts'
import { changeRows, changesOf, displayName } from './changeRows.ts'

const change = (path: string, kind: GitChange['kind'] = 'modified'): GitChange => ({ path, kind })

const status = (groups: Partial<GitStatusSummary['groups']>, folder = '.'): GitStatusSummary =>
  testStatus(groups, { repository: { id: '/r', folder, name: 'r', kind: 'repository', trusted: true } })

const shown = (rows: ReturnType<typeof changeRows>) =>
  rows.map((row) =>
    row.kind === 'group'
      ? `${row.group} ${row.count}`
      : `${' '.repeat(row.depth + 1)}${row.kind === 'folder' ? `${row.name}/` : row.change.path}`,
  )
const options = { tree: false, folded: new Set<string>() }

describe('rows of the source control view', () => {
  it('list untracked files among the changes, by path', () => {
    const given = status({
      staged: [change('b.ts')],
      changes: [change('z.ts'), change('b.ts')],
      untracked: [change('new.ts', 'untracked')],
    })
    expect(shown(changeRows(given, options))).toEqual(['staged 1', ' b.ts', 'changes 3', ' b.ts', ' new.ts', ' z.ts'])
  })

  it('have a group for the changes only, if there is nothing', () => {
    expect(shown(changeRows(status({}), options))).toEqual(['changes 0'])
  })

  it('as a tree, folders come first and lone folders share a row', () => {
    const given = status({ changes: [change('src/a/deep/x.ts'), change('src/b.ts'), change('README.md')] })
    expect(shown(changeRows(given, { ...options, tree: true }))).toEqual([
      'changes 3',
      ' src/',
      '  a/deep/',
      '   src/a/deep/x.ts',
      '  src/b.ts',
      ' README.md',
    ])
    const folded = new Set(['changes/src/'])
    expect(shown(changeRows(given, { tree: true, folded }))).toEqual(['changes 3', ' src/', ' README.md'])
  })

  it('of a folder act on all files below it', () => {
    const given = status({
      changes: [change('src/b.ts'), change('srcs/c.ts')],
      untracked: [change('src/n', 'untracked')],
    })
    const folder = changeRows(given, { ...options, tree: true }).find(({ kind }) => kind === 'folder')
    expect(folder && changesOf(folder, given).map((each) => [each.from, each.change.path])).toEqual([
      ['changes', 'src/b.ts'],
      ['untracked', 'src/n'],
    ])
  })

  it('show names that are not valid UTF-8 with a replacement character', () => {
    expect(displayName('src/caf\udce9.txt')).toEqual({ name: 'caf\ufffd.txt', folder: 'src' })
    expect(displayName('vendor/')).toEqual({ name: 'vendor', folder: '' })
  })
})

describe('marks of the file tree', () => {
  it('color a folder by the strongest change in it, and not for deleted files', () => {
    const given = status(
      { changes: [change('a/b/x.ts'), change('d/gone.ts', 'deleted')], untracked: [change('a/new.ts', 'untracked')] },
      'lib',
    )
    const { files, folders } = treeDecorations([given])
    expect([...files].map(([path, { letter }]) => `${path} ${letter}`)).toEqual([
      'lib/a/b/x.ts M',
      'lib/d/gone.ts D',
      'lib/a/new.ts U',
    ])
    expect([...folders].map(([path, { kind }]) => `${path} ${kind}`)).toEqual([
      'lib/a/b modified',
      'lib/a modified',
      'lib modified',
    ])
  })

  it('a change of the working tree takes precedence over a staged one', () => {
    const given = status({ staged: [change('a.ts', 'added')], changes: [change('a.ts')] })
    expect(treeDecorations([given]).files.get('a.ts')?.letter).toBe('M')
  })
})
