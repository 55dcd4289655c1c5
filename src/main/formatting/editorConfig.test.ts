import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { parseEditorConfig, readEditorConfig } from './editorConfig.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
async function configOf(file: string) {
  return readEditorConfig(await openWorkspace(folder.root), file)
}

describe('an .editorconfig', () => {
  beforeEach(async () => {
    folder = await temporaryFolder({
      '.editorconfig':
        'root = true\n[*]\nindent_style = space\nindent_size = 2\nend_of_line = lf\ninsert_final_newline = true\ncharset = utf-8\n' +
        '[*.md]\ntrim_trailing_whitespace = false\n[Makefile]\nindent_style = tab\nindent_size = unset\ntab_width = 8\n[*.bat]\nend_of_line = crlf\ncharset = latin1\n',
      'lib/.editorconfig': '[*.py]\nindent_size = 4\n[/generated/**]\ninsert_final_newline = false\n',
      'own/.editorconfig': 'root = true\n[*]\ntrim_trailing_whitespace = TRUE\n',
      'bad/.editorconfig':
        '[*]\nindent_size = many\nend_of_line = cr\n[{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}]\nindent_size = 7\n',
      'src/a.ts': '',
    })
  })
  afterEach(() => folder.remove())

  it('applies to the files below it', async () => {
    expect(await configOf('src/a.ts')).toEqual({
      indentStyle: 'space',
      indentSize: 2,
      tabWidth: 2,
      endOfLine: '\n',
      charset: 'utf8',
      insertFinalNewline: true,
    })
    expect(await configOf('docs/new.md')).toMatchObject({ trimTrailingWhitespace: false, indentSize: 2 })
  })

  it('is overridden by later sections and by those of nearer folders', async () => {
    expect(await configOf('Makefile')).toMatchObject({ indentStyle: 'tab', indentSize: 8, tabWidth: 8 })
    expect(await configOf('lib/deep/a.py')).toMatchObject({ indentSize: 4, endOfLine: '\n' })
    expect(await configOf('lib/generated/x/a.py')).toMatchObject({ insertFinalNewline: false })
    expect(await configOf('generated/a.py')).toMatchObject({ insertFinalNewline: true, indentSize: 2 })
  })

  it('with root = true hides those of the folders above', async () => {
    expect(await configOf('own/a.ts')).toEqual({ trimTrailingWhitespace: true })
  })

  it('is ignored where it has values that Tizona cannot apply', async () => {
    expect(await configOf('run.bat')).toMatchObject({ endOfLine: '\r\n', indentSize: 2 })
    expect(await configOf('run.bat')).toMatchObject({ charset: 'iso88591' })
    expect(await configOf('bad/aaaaaaaaaa')).toEqual({
      indentStyle: 'space',
      endOfLine: undefined,
      charset: 'utf8',
      insertFinalNewline: true,
    })
  })

  it('outside the workspace is not read', async () => {
    await expect(configOf('../other/a.ts')).rejects.toThrow(/outside/)
  })
})

it.each([
  ['*.{js,ts}', 'a/b.ts', true],
  ['*.{js,ts}', 'b.tsx', false],
  ['lib/**.js', 'lib/a/b.js', true],
  ['file{1..3}.txt', 'file2.txt', true],
  ['file{1..3}.txt', 'file4.txt', false],
  ['[ab].c', 'x/b.c', true],
  ['[!ab].c', 'b.c', false],
  ['src/*.c', 'src/x/b.c', false],
  ['{package.json,.travis.yml}', 'sub/package.json', true],
])('the section [%s] for %s: %s', async (pattern, file, expected) => {
  const { sections } = await parseEditorConfig(`[${pattern}]\nindent_size = 2\n`)
  expect(sections.some(({ matches }) => matches(file))).toBe(expected)
})

it('long lines do not keep the parser busy, and an overlong section matches nothing', async () => {
  const spaces = ' '.repeat(60_000)
  const before = process.cpuUsage()
  const { sections } = await parseEditorConfig(`[*]\na = 1\nb${spaces}= 2\n[${spaces}*]\nc = 3\n`)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000)
  expect(sections.filter(({ matches }) => matches('x')).map(({ properties }) => properties)).toEqual([{ a: '1' }])
})
