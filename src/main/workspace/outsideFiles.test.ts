import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isOutsideFile, outsidePath } from '../../shared/files/outsideFiles.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { createBuffers } from './buffers.ts'
import { openWorkspace } from './containment.ts'
import { createDocuments } from './documents.ts'
import { buffersInFolder, createOutsideFiles, type OutsideFiles } from './outsideFiles.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let root: string
let files: OutsideFiles
const at = (name: string) => path.join(root, name)

beforeEach(async () => {
  folder = await temporaryFolder({ 'note.txt': 'one\r\n', 'data/secrets.json': '{}' })
  root = await realpath(folder.root)
  files = createOutsideFiles([at('data')], () => 'utf8')
})
afterEach(() => folder.remove())

it('a file outside the folder is read and saved at its own path, with its line endings', async () => {
  const file = await files.open(outsidePath(at('note.txt')))
  expect(file).toMatchObject({ path: outsidePath(at('note.txt')), text: 'one\n', format: { eol: '\r\n' } })
  await files.save(file.path, 'two\n', file.format, { stamp: file.stamp })
  expect(await readFile(at('note.txt'), 'utf8')).toBe('two\r\n')
  await expect(files.save(file.path, 'three\n', file.format, { stamp: file.stamp })).rejects.toMatchObject({
    code: 'changed_on_disk',
  })
  await files.save(outsidePath(at('new.txt')), 'new', { encoding: 'utf8', eol: '\n' })
  expect(await readFile(at('new.txt'), 'utf8')).toBe('new')
})

it('the data of Tizona is not such a file, not even through a link', async () => {
  await symlink(at('data/secrets.json'), at('link.json'))
  for (const name of ['data/secrets.json', 'link.json'])
    await expect(files.open(outsidePath(at(name)))).rejects.toMatchObject({ code: 'outside_workspace' })
  await expect(files.open('note.txt')).rejects.toMatchObject({ code: 'invalid_path' })
})

it('the tools of the agent never reach the file or its unsaved text', async () => {
  await mkdir(at('work'))
  await writeFile(at('work/a.txt'), 'a')
  const workspace = await openWorkspace(at('work'))
  const buffers = createBuffers()
  const name = outsidePath(at('note.txt'))
  buffers.sync({ path: name, open: true, dirty: true, text: 'private' })
  buffers.sync({ path: 'a.txt', open: true, dirty: true, text: 'shared' })
  const inFolder = buffersInFolder(buffers)
  expect(inFolder.list().map((each) => each.path)).toEqual(['a.txt'])
  expect(inFolder.get(name)).toBeUndefined()
  const editor = fakeEditor()
  for (const documents of [createDocuments(workspace, editor, { buffers }), createDocuments(workspace, editor)])
    for (const [spelling, code] of [
      [name, 'outside_workspace'],
      [`./${name}`, 'not_found'],
      [`x/../${name}`, 'not_found'],
      [at('note.txt'), 'outside_workspace'],
      ['../note.txt', 'outside_workspace'],
    ] as const)
      await expect(documents.read(spelling)).rejects.toMatchObject({ code })
})

it('a folder named as the beginning of such paths holds files of the workspace', async () => {
  const below = `work/outside:${at('')}`
  await mkdir(at(below), { recursive: true })
  await writeFile(at(`${below}/note.txt`), 'of the folder')
  const documents = createDocuments(await openWorkspace(at('work')), fakeEditor())
  const listed = `outside:${at('note.txt')}`
  expect(isOutsideFile(listed)).toBe(false)
  expect((await documents.open(listed)).text).toBe('of the folder')
  await expect(files.open(listed)).rejects.toMatchObject({ code: 'invalid_path' })
})
