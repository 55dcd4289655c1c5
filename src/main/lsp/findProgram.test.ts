import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { findPrograms, type ProgramLocations } from './findProgram.ts'
import { languageIdOf, serverTable, type ServerDefinition } from './serverTable.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let places: ProgramLocations
beforeEach(async () => {
  folder = await temporaryFolder()
  places = { workspace: path.join(folder.root, 'w'), installed: path.join(folder.root, 'i'), searchPath: '' }
})
afterEach(() => folder.remove())

const server = (id: string): ServerDefinition => {
  const found = serverTable.find((each) => each.id === id)
  if (!found) expect.unreachable()
  return found
}

const preferred = async (definition: ServerDefinition, where: ProgramLocations) =>
  (await findPrograms(definition, where))[0] ?? null

it('uses the TypeScript of Tizona, and reports that an older one of the folder has no server', async () => {
  expect(await preferred(server('typescript'), places)).toMatchObject({
    kind: 'native',
    description: expect.stringMatching(/^TypeScript 7\.\d+\.\d+ included in Tizona\.$/) as string,
  })
  await writeTree(folder.root, { 'w/node_modules/typescript/package.json': '{"version":"5.9.2"}' })
  expect((await preferred(server('typescript'), places))?.description).toMatch(
    /included in Tizona\. TypeScript 5\.9\.2 in this folder is older than 7 and has no language server\.$/,
  )
})

it('prefers the TypeScript 7 of the folder', async () => {
  const platform = `w/node_modules/@typescript/typescript-${process.platform}-${process.arch}`
  const program = `${platform}/lib/${process.platform === 'win32' ? 'tsc.exe' : 'tsc'}`
  await writeTree(folder.root, {
    'w/node_modules/typescript/package.json': '{"version":"7.1.0"}',
    [`${platform}/package.json`]: '{"name":"x","version":"7.1.0"}',
    [program]: '',
  })
  expect(await preferred(server('typescript'), places)).toEqual({
    kind: 'native',
    file: path.join(folder.root, program),
    folder: path.join(folder.root, platform),
    origin: 'workspace',
    description: 'TypeScript 7.1.0 in this folder.',
  })
})

it('finds a script in the folder before an installed one, and then a program on PATH', async () => {
  const bin = path.join(folder.root, 'bin')
  await writeTree(folder.root, { 'bin/bash-language-server': '#!/bin/sh\n', 'w/bash-language-server': '#!/bin/sh\n' })
  await chmod(path.join(bin, 'bash-language-server'), 0o755)
  await chmod(path.join(folder.root, 'w/bash-language-server'), 0o755)
  const bash = server('bash')
  const onPath = { ...places, searchPath: ['w', '.', '', bin].join(path.delimiter) }
  if (process.platform !== 'win32')
    expect(await preferred(bash, onPath)).toMatchObject({
      kind: 'native',
      file: path.join(bin, 'bash-language-server'),
    })
  await writeTree(folder.root, {
    'i/bash-language-server/node_modules/bash-language-server/out/cli.js': '',
    'i/bash-language-server/node_modules/bash-language-server/package.json': '{"version":"5.8.1"}',
  })
  expect(await preferred(bash, onPath)).toMatchObject({
    kind: 'script',
    description: 'bash-language-server 5.8.1 installed by Tizona.',
  })
  await writeTree(folder.root, { 'w/node_modules/bash-language-server/out/cli.js': '' })
  expect((await preferred(bash, onPath))?.description).toBe('bash-language-server in this folder.')
  expect(await preferred(server('gopls'), places)).toBeNull()
})

it('every server serves a language of some file', () => {
  const known = new Set(
    ['a.ts', 'a.tsx', 'a.js', 'a.jsx', 'a.py', 'a.sh', 'a.yml', 'a.html', 'a.css', 'a.scss', 'a.less', 'a.json'].map(
      languageIdOf,
    ),
  )
  for (const file of ['tsconfig.json', 'a.jsonc', 'a.rs', 'a.go', 'a.c', 'a.cpp']) known.add(languageIdOf(file))
  for (const { serves } of serverTable) for (const id of serves) expect(known).toContain(id)
  expect(languageIdOf('lib/tsconfig.build.json')).toBe('jsonc')
  expect(languageIdOf('notes.txt')).toBeUndefined()
})
