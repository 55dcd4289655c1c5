import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../../shared/errors.ts'
import { openLanguageFolder, openWithFake, type LanguageFolder } from '../../lsp/testing/languageFolder.ts'
import { runTool, testContext } from '../testing/toolContext.ts'
import { recordWrites, withServerErrors } from '../writeDiagnostics.ts'
import { codeActions } from './codeActionTools.ts'
import { getDiagnostics } from './getDiagnostics.ts'
import { renameSymbol } from './renameSymbol.ts'

// The real TypeScript 7.

const files = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"module":"nodenext"}}',
  'a.ts': "const x: number = 'a'\nexport const total = add(1, 2)\n",
  'b.ts': 'export function add(a: number, b: number): number {\n  return a + b\n}\n',
  'c.ts': "import { add } from './b'\nadd(1, 2)\n",
}

let folder: LanguageFolder
afterEach(() => folder.close())

async function open() {
  folder = await openLanguageFolder(files)
  return testContext(folder.root, { languages: folder.tools })
}
const textOf = (name: string) => readFile(path.join(folder.root, name), 'utf8')

describe('get_diagnostics', () => {
  it('lists the errors of a file that no tab shows', async () => {
    const context = await open()
    expect((await runTool(getDiagnostics, { path: 'a.ts' }, context)).text).toMatch(
      /^a\.ts: 2 errors, 0 other problems\n1:7 error: Type 'string' is not assignable to type 'number'\. \(ts 2322\)\n2:22 error: Cannot find name 'add'/,
    )
    expect((await runTool(getDiagnostics, { path: 'b.ts' }, context)).text).toBe('No problems in b.ts.')
    expect((await runTool(getDiagnostics, {}, context)).text).toContain('a.ts: 2 errors')
  })

  it('suggests a command where no server runs', async () => {
    const context = await open()
    await writeFile(path.join(folder.root, 'notes.txt'), 'x')
    await expect(runTool(getDiagnostics, { path: 'notes.txt' }, context)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('rename_symbol', () => {
  it('renames in all files and reports them', async () => {
    const context = await open()
    const result = await runTool(renameSymbol, { path: 'c.ts', line: 2, name: 'add', new_name: 'plus' }, context)
    expect(result.text).toBe('Renamed add to plus in 3 places:\nM c.ts (+2 -2)\nM b.ts (+1 -1)')
    expect(await textOf('b.ts')).toContain('function plus(')
    expect(await textOf('c.ts')).toBe("import { plus } from './b'\nplus(1, 2)\n")
  })

  it('names the lines that contain the name, and changes no protected file', async () => {
    const context = await open()
    const rename = (line: number) =>
      runTool(renameSymbol, { path: 'c.ts', line, name: 'add', new_name: 'plus' }, context)
    await expect(rename(3)).rejects.toMatchObject({ code: 'no_match', next: 'It is in line 1, 2.' })
    context.languages = {
      ...folder.tools,
      checkChange(name) {
        if (name === 'b.ts') throw new ToolError('refused', 'b.ts is protected.')
      },
    }
    await expect(rename(2)).rejects.toThrow('b.ts is protected.')
    expect(await textOf('c.ts')).toBe(files['c.ts'])
  })
})

it('code_actions lists the fixes of a line, and applies one by its title', async () => {
  const context = await open()
  const { text } = await runTool(codeActions, { path: 'a.ts', line: 2 }, context)
  expect(text).toMatch(/^Actions:\n- Add import from/)
  const action = text.split('\n- ')[1]
  expect(await runTool(codeActions, { path: 'a.ts', line: 2, action }, context)).toMatchObject({
    text: `Applied "${action}":\nM a.ts (+2 -0)`,
    view: { kind: 'diff' },
  })
  expect(await textOf('a.ts')).toContain('import { add } from "./b";')
  await expect(runTool(codeActions, { path: 'a.ts', line: 1, action: 'Fly' }, context)).rejects.toMatchObject({
    code: 'no_match',
  })
})

describe('after an edit', () => {
  const onLate = () => undefined
  const signal = new AbortController().signal

  it.each([
    ['that no tab shows', false],
    ['in a tab', true],
  ])('only the new errors of a file %s are reported', async (_, tab) => {
    const context = await open()
    if (tab) {
      folder.open('a.ts')
      await folder.languages.diagnose('a.ts', signal)
    }
    const { documents, writes, known } = recordWrites(context.documents, folder.languages.editErrors)
    const base = await documents.read('a.ts')
    await documents.edit(base, `// A line above.\n${base.text}const y: string = 1\n`)
    folder.languages.filesChanged([{ path: 'a.ts', change: 'changed', directory: false }])
    const report = () =>
      withServerErrors({ text: 'Changed.' }, { writes, known }, folder.languages.editErrors, signal, {
        limit: 20_000,
        onLate,
      })
    expect((await report()).text).toBe(
      "Changed.\n\n[This edit caused errors:\na.ts:4: Type 'number' is not assignable to type 'string'.\nRead these lines and fix them.]",
    )
  })

  it('a server that does not answer delays the result by no more than the limit', async () => {
    const fake = await openWithFake(
      { 'a.ts': 'one\n' },
      { hangOn: ['textDocument/diagnostic'], capabilities: { diagnosticProvider: {} } },
    )
    folder = fake
    const context = await testContext(folder.root)
    const { documents, writes, known } = recordWrites(context.documents, folder.languages.editErrors)
    await documents.edit(await documents.read('a.ts'), 'two\n')
    const output = { text: 'Changed.' }
    const { editErrors } = folder.languages
    expect(await withServerErrors(output, { writes, known }, editErrors, signal, { limit: 200, onLate })).toBe(output)
  })
})
