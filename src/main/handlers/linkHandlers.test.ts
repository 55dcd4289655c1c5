import { afterEach, beforeEach, expect, it } from 'vitest'
import { requests } from '../../shared/bridge/protocol.ts'
import { createFileNameSearch } from '../search/fileNameSearch.ts'
import { openIndexedFolder, type IndexedFolder } from '../testing/indexedFolder.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createLinkHandlers } from './linkHandlers.ts'

let folder: IndexedFolder
let locate: (params: { paths?: string[]; names?: string[] }) => Promise<{
  files: (string | null)[]
  symbols: ({ path: string; line: number; several: boolean } | null)[]
}>

beforeEach(async () => {
  folder = await openIndexedFolder(
    {
      'src/a.ts':
        'export function only() {}\n\nexport class Box {\n  open() {}\n}\nexport class Door {\n  open() {}\n}\n',
      'src/deep/b.ts': "import { only } from '../a.ts'\nonly()\n",
      'one/same.ts': '',
      'two/same.ts': '',
      'package.json': '{ "keyOfData": 1 }\n',
    },
    { watched: false },
  )
  const { code } = folder
  const workspace = await openWorkspace(folder.root)
  const handlers = createLinkHandlers(() => ({ workspace, fileNames: createFileNameSearch(workspace), code }))
  locate = async (params) =>
    handlers['links.locate'](
      requests['links.locate'].params.parse({ paths: [], names: [], ...params }),
      new AbortController().signal,
    )
})
afterEach(() => folder.close())

it('locates files by relative and absolute path, and by an end that only one file has', async () => {
  const paths = ['src/a.ts', './src/a.ts', `${folder.root}/src/a.ts`, 'deep/b.ts', 'b.ts', 'src\\deep\\b.ts']
  const { files } = await locate({ paths })
  expect(files).toEqual(['src/a.ts', 'src/a.ts', 'src/a.ts', 'src/deep/b.ts', 'src/deep/b.ts', 'src/deep/b.ts'])
})

it('nothing outside the folder, no folder and no ambiguous name is a file', async () => {
  const paths = [
    'same.ts',
    'src',
    'missing.ts',
    '/etc/passwd',
    '../..',
    '//host/share/a.ts',
    'a\0.ts',
    'x'.repeat(3000),
  ]
  expect((await locate({ paths })).files).toEqual(paths.map(() => null))
})

it('locates symbols by their exact name', async () => {
  const { symbols } = await locate({ names: ['only', 'Box.open', 'Door#open', 'open', 'Onl', 'keyOfData'] })
  expect(symbols).toEqual([
    { name: 'only', path: 'src/a.ts', line: 1, column: 17, several: false },
    { name: 'Box.open', path: 'src/a.ts', line: 4, column: 3, several: false },
    { name: 'Door#open', path: 'src/a.ts', line: 7, column: 3, several: false },
    { name: 'open', path: 'src/a.ts', line: 4, column: 3, several: true },
    null,
    null,
  ])
})
