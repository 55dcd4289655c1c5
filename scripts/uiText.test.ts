import { expect, it } from 'vitest'
import { visibleTexts } from './uiText.ts'

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
