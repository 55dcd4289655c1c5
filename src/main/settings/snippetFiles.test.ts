import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { readSnippetFolder } from './snippetFiles.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'typescript.json':
      '{\n// comment\n"Log": {"prefix": ["log", "cl"], "body": ["console.log($1)", "$0"], "description": "Log"},\n"No body": {"prefix": "x"}}',
    'team.code-snippets':
      '{"All": {"prefix": "todo", "body": "TODO: $0"}, "Web": {"scope": "html, css", "prefix": "w", "body": "w"}}',
    'broken.json': '}{',
    'notes.txt': '{"A": {"prefix": "a", "body": "a"}}',
  })
})
afterEach(() => folder.remove())

it('reads the files of one language and of several', async () => {
  const snippets = await readSnippetFolder(folder.root)
  expect(snippets.map(({ name, languages }) => [name, languages])).toEqual([
    ['All', null],
    ['Web', ['html', 'css']],
    ['Log', ['typescript']],
  ])
  expect(snippets.at(-1)).toMatchObject({ prefixes: ['log', 'cl'], body: 'console.log($1)\n$0', description: 'Log' })
})

it('reads only shared files of a workspace, and nothing where there is no folder', async () => {
  const shared = await readSnippetFolder(folder.root, { onlyShared: true })
  expect(shared.map(({ name }) => name)).toEqual(['All', 'Web'])
  expect(await readSnippetFolder(`${folder.root}/missing`)).toEqual([])
})
