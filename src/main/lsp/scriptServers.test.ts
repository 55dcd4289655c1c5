import path from 'node:path'
import { stripTypeScriptTypes } from 'node:module'
import { readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { openLanguageFolder, type LanguageFolder } from './testing/languageFolder.ts'

// A JavaScript server in a process of Tizona, with its streams over messages. The desktop harness runs one in a utility
// process (e2e/languageServers.spec.ts).

let folder: LanguageFolder
afterEach(() => folder.close())

const script = {
  diagnostics: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }, message: 'bad' }],
}
const source = stripTypeScriptTypes(readFileSync(path.join(import.meta.dirname, 'testing/fakeServer.ts'), 'utf8'))

it('a server in the node_modules of the folder starts as the main module, reports problems and stops', async () => {
  folder = await openLanguageFolder({
    'a.yaml': 'one\n',
    'node_modules/yaml-language-server/package.json': '{"version":"1.2.3","type":"module"}',
    'node_modules/yaml-language-server/bin/yaml-language-server': source.replace(
      "process.argv[2] ?? '{}'",
      `'${JSON.stringify(script)}'`,
    ),
  })
  folder.open('a.yaml')
  await vi.waitFor(() => expect(folder.languages.problems('a.yaml').problems).toMatchObject([{ message: 'bad' }]))
  const status = () => folder.statuses().find(({ id }) => id === 'yaml')
  expect(status()).toMatchObject({ state: 'running', detail: 'yaml-language-server 1.2.3 in this folder.' })
  expect(folder.languages.log('yaml').join('\n')).toContain('textDocument/didOpen')
  await folder.languages.restart('yaml')
  await vi.waitFor(() => expect(folder.languages.problems('a.yaml').problems).toHaveLength(1))
})

it('a server that cannot be loaded is reported with its reason in the log', async () => {
  folder = await openLanguageFolder(
    { 'a.yaml': 'one\n', 'node_modules/yaml-language-server/bin/yaml-language-server': 'throw new Error("broken")' },
    { times: { restarts: [] } },
  )
  folder.open('a.yaml')
  await vi.waitFor(() => expect(folder.notices).toHaveLength(1))
  await vi.waitFor(() => expect(folder.languages.log('yaml').join('\n')).toContain('broken'))
})
