import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { changedTexts, visibleTexts } from './uiText.ts'

it('finds the texts of elements, attributes, properties, notices and errors', () => {
  const source = `
    const row = { id: 'a.b', title: 'Open the folder', className: 'row wide' }
    notify('error', \`Could not read \${path}.\`)
    throw new ToolError('not_found', 'The file is gone.', isOpen ? 'Close its tab.' : 'Reload the folder.')
    const view = <p className="chat row" title="Shown on hover">Files {count > 0 && 'Some are hidden'}</p>
  `
  expect(visibleTexts('src/renderer/x.tsx', source)).toEqual([
    'Open the folder',
    'Could not read {…}.',
    'The file is gone.',
    'Close its tab.',
    'Reload the folder.',
    'Some are hidden',
    'Shown on hover',
    'Files',
  ])
})

it('leaves out what no user reads', () => {
  const source = `
    import { a } from './a b.ts'
    // A comment
    const query = 'SELECT a FROM b'
    const key = { kind: 'user', label: 'x' }
  `
  expect(visibleTexts('src/renderer/x.ts', source)).toEqual([])
})

it('prints the texts that changed since a revision, but none that only moved', () => {
  const root = mkdtempSync(join(tmpdir(), 'tizona-texts-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'src'))
  const write = (name: string, ...texts: string[]) =>
    writeFileSync(join(root, 'src', name), texts.map((text) => `notify('error', '${text}')\n`).join(''))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root })
  write('a.ts', 'Moved text', 'Old wording')
  write('b.ts', 'Deleted with its file')
  write('same.ts', 'Same text')
  git('init', '-q')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'a: b')
  write('a.ts', 'New wording')
  write('new.ts', 'Moved text', 'Added text')
  rmSync(join(root, 'src', 'b.ts'))
  expect(changedTexts(root, 'HEAD')).toEqual([
    '- src/a.ts: Old wording',
    '- src/b.ts: Deleted with its file',
    '+ src/a.ts: New wording',
    '+ src/new.ts: Added text',
  ])
})
