import { createFileEncodings } from '../workspace/fileEncodings.ts'
import { chmod, chown, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { requests, type RequestName, type RequestParams, type RequestResult } from '../../shared/bridge/protocol.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { createBuffers } from '../workspace/buffers.ts'
import { createDocuments } from '../workspace/documents.ts'
import { createDeletedEntries } from '../workspace/deletedEntries.ts'
import { createFileOperations } from '../workspace/fileOperations.ts'
import { asUnprivileged, expectFailure } from '../workspace/testing/disk.ts'
import { createUploads } from '../workspace/uploads.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { createOutsideFiles } from '../workspace/outsideFiles.ts'
import { createFileRules } from '../workspaceServices/fileRules.ts'
import { createFileHandlers, type FileServices } from './fileHandlers.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let services: FileServices | null
/** The host's operations on files, in order. */
let done: string[]
let refusal: string | null
const host = {
  showInFileManager: (absolute: string) => void done.push(`show ${absolute}`),
  moveToTrash: async (absolute: string) => {
    if (refusal !== null) throw new Error(refusal)
    done.push(`trash ${absolute}`)
  },
}
const handlers = createFileHandlers(() => services, host)
const signal = new AbortController().signal
const at = (name: string) => path.join(folder.root, name)

/** Sends a request like a connection: validates the parameters and fills in defaults first. */
async function send<N extends RequestName & keyof typeof handlers>(
  name: N,
  params: RequestParams<N>,
): Promise<RequestResult<N>> {
  // One of many types. The schema checks the parameters.
  const handler = handlers[name] as (params: unknown, signal: AbortSignal) => Promise<RequestResult<N>>
  return handler(requests[name].params.parse(params), signal)
}

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\r\n', 'src/b.txt': 'b' })
  done = []
  refusal = null
  const workspace = await openWorkspace(folder.root)
  const buffers = createBuffers()
  services = {
    workspace,
    documents: createDocuments(workspace, fakeEditor(), { buffers }),
    outside: createOutsideFiles([path.join(folder.root, 'data')], () => 'utf8'),
    encodings: createFileEncodings({ ofSettings: () => 'utf8', ofFolder: async () => undefined }),
    files: createFileOperations(workspace),
    uploads: createUploads(workspace, createFileOperations(workspace)),
    buffers,
    deleted: createDeletedEntries({ workspace, userData: path.join(folder.root, 'data') }),
    fileRules: createFileRules(
      () => settingsSchema.parse({ files: { exclude: { '**/*.log': true }, associations: { '*.txt': 'ini' } } }),
      { own: async () => null, vsCode: async () => null },
    ),
  }
})
afterEach(() => folder.remove())

it('lists no file that files.exclude hides, and opens files with the language of files.associations', async () => {
  await writeFile(at('a.log'), '')
  await writeFile(at('a.md'), '')
  expect((await send('files.list', { path: '.' })).map(({ name }) => name)).toEqual(['src', 'a.md', 'a.txt'])
  expect((await send('files.read', { path: 'a.txt' })).language).toBe('ini')
  expect((await send('files.read', { path: 'a.md' })).language).toBeUndefined()
})

it('makes a read-only file of the user writable, and no file of somebody else', async () => {
  if (process.getuid?.() !== 0) return
  await Promise.all(['a.txt', 'src/b.txt'].map((name) => chmod(at(name), 0o444)))
  await Promise.all([folder.root, at('src')].map((each) => chmod(each, 0o755)))
  await chown(at('a.txt'), 65_534, 65_534)
  const found = await asUnprivileged(`
    const workspace = await openWorkspace(${JSON.stringify(folder.root)})
    const documents = createDocuments(workspace, { attached: false })
    const handlers = createFileHandlers(() => ({ workspace, documents, files: createFileOperations(workspace) }))
    const before = (await documents.open('a.txt')).readonly
    const codes = []
    for (const path of ['a.txt', 'src/b.txt']) codes.push(await codeOf(handlers['files.makeWritable']({ path })))
    return [before, ...codes, (await documents.open('a.txt')).readonly]
  `)
  expect(found).toEqual([true, 'ok', 'permission_denied', false])
  expect((await stat(at('a.txt'))).mode & 0o777).toBe(0o644)
})

it('without an open folder, file requests fail and the list of buffers is empty', async () => {
  services = null
  await expectFailure(send('files.list', { path: '.' }), 'no_workspace')
  await expectFailure(send('files.read', { path: 'a.txt' }), 'no_workspace')
  expect(await send('buffers.list', {})).toEqual([])
})

it('lists, reads and saves; saving a file that changed on disk is refused unless forced', async () => {
  expect((await send('files.list', { path: '.' })).map(({ path: name }) => name)).toEqual(['src', 'a.txt'])
  const opened = await send('files.read', { path: 'a.txt' })
  expect(opened).toMatchObject({
    path: 'a.txt',
    text: 'one\n',
    format: { encoding: 'utf8', eol: '\r\n' },
    readonly: false,
  })
  const { stamp } = await send('files.write', {
    path: 'a.txt',
    text: 'two\n',
    format: opened.format,
    stamp: opened.stamp,
  })
  expect(await readFile(at('a.txt'), 'utf8')).toBe('two\r\n')
  await expectFailure(
    send('files.write', { path: 'a.txt', text: 'three\n', format: opened.format, stamp: opened.stamp }),
    'changed_on_disk',
  )
  await send('files.write', { path: 'a.txt', text: 'three\n', format: opened.format, stamp })
  await send('files.write', { path: 'a.txt', text: 'four\n', format: opened.format, stamp: opened.stamp, force: true })
  expect(await readFile(at('a.txt'), 'utf8')).toBe('four\r\n')
})

it('reads and writes several files with one request, each guarded as if alone', async () => {
  await send('files.create', { path: 'gone.txt' })
  const read = await send('files.readBatch', { paths: ['a.txt', 'missing.txt', 'gone.txt', '../x'] })
  expect(read.map((outcome) => (outcome.ok ? outcome.file.text : outcome.error.code))).toEqual([
    'one\n',
    'not_found',
    '',
    'outside_workspace',
  ])
  const format = { encoding: 'utf8', eol: '\r\n' } as const
  const stampOf = (index: number) => (read[index]?.ok ? read[index].file.stamp : '')
  await rm(at('gone.txt'))
  const written = await send('files.writeBatch', {
    files: [
      { path: 'gone.txt', text: 'x', format, stamp: stampOf(2) },
      { path: 'a.txt', text: 'two\n', format, stamp: stampOf(0) },
      { path: '../x', text: 'x', format },
      { path: 'src/b.txt', text: 'x', format, stamp: 'other' },
    ],
  })
  expect(written.map((outcome) => outcome.ok || outcome.error.code)).toEqual([
    'changed_on_disk',
    true,
    'outside_workspace',
    'changed_on_disk',
  ])
  expect(await readFile(at('a.txt'), 'utf8')).toBe('two\r\n')
})

it('creates, moves and deletes files and folders', async () => {
  await send('files.create', { path: 'new/file.txt' })
  await send('files.create', { path: 'new/folder', directory: true })
  await expectFailure(send('files.create', { path: 'new/file.txt' }), 'already_exists')
  await expectFailure(send('files.create', { path: 'new/folder', directory: true }), 'already_exists')
  await expectFailure(send('files.move', { from: 'new/file.txt', to: 'a.txt' }), 'already_exists')
  await send('files.move', { from: 'new/file.txt', to: 'src/c.txt' })
  await send('files.copy', { from: 'src', to: 'new/src' })
  expect((await send('files.list', { path: 'new/src' })).map(({ name }) => name)).toEqual(['b.txt', 'c.txt'])
  await expectFailure(send('files.copy', { from: 'src', to: 'src/inside' }), 'invalid_path')
  await send('files.delete', { path: 'new' })
  expect((await send('files.list', { path: 'src' })).map(({ name }) => name)).toEqual(['b.txt', 'c.txt'])
  await expectFailure(send('files.list', { path: 'new' }), 'not_found')
})

it('refuses every path outside the folder', async () => {
  const format = { encoding: 'utf8', eol: '\n' } as const
  await expectFailure(send('files.list', { path: '..' }), 'outside_workspace')
  await expectFailure(send('files.read', { path: '/etc/passwd' }), 'outside_workspace')
  await expectFailure(send('files.write', { path: '../x', text: '', format }), 'outside_workspace')
  await expectFailure(send('files.create', { path: '../x' }), 'outside_workspace')
  await expectFailure(send('files.move', { from: 'a.txt', to: '../x' }), 'outside_workspace')
  await expectFailure(send('files.delete', { path: '../x' }), 'outside_workspace')
})

it('keeps unsaved text for a window that reloads', async () => {
  await send('buffers.sync', { path: 'a.txt', open: true, dirty: true, text: 'typed' })
  await send('buffers.sync', { path: 'src/b.txt', open: true, dirty: false, text: null })
  expect(await send('buffers.list', {})).toEqual([
    { path: 'a.txt', dirty: true, text: 'typed' },
    { path: 'src/b.txt', dirty: false, text: null },
  ])
})

describe('the trash and the file manager of the system', () => {
  it('receive the absolute path of a workspace entry, and of a link itself', async () => {
    await symlink('src', at('link'))
    expect(await send('files.trash', { path: 'link' })).toEqual({ trashed: true, kept: { id: expect.any(String) } })
    await send('files.reveal', { path: 'src/b.txt' })
    await send('files.reveal', { path: '.' })
    expect(done).toEqual([`trash ${at('link')}`, `show ${at('src/b.txt')}`, `show ${folder.root}`])
  })

  it('receive no path outside the workspace, and the workspace itself is never trashed', async () => {
    await symlink('/', at('out'))
    for (const path of ['../x', '/etc/passwd', 'out/etc/passwd']) {
      await expectFailure(send('files.trash', { path }), 'outside_workspace')
      await expectFailure(send('files.reveal', { path }), 'outside_workspace')
    }
    await expectFailure(send('files.trash', { path: '.' }), 'invalid_path')
    await expectFailure(send('files.trash', { path: 'gone' }), 'not_found')
    await expectFailure(send('files.reveal', { path: 'gone' }), 'not_found')
    expect(done).toEqual([])
  })

  it('a failed move to the trash returns the reason and keeps the file', async () => {
    refusal = 'No trash on this disk'
    expect(await send('files.trash', { path: 'a.txt' })).toEqual({ trashed: false, reason: 'No trash on this disk' })
    expect(await readFile(at('a.txt'), 'utf8')).toBe('one\r\n')
  })

  it('cause an error on a host without them', async () => {
    const without = createFileHandlers(() => services)
    await expectFailure(Promise.resolve(without['files.trash']({ path: 'a.txt' }, signal)), 'no_window')
    await expectFailure(Promise.resolve(without['files.reveal']({ path: 'a.txt' }, signal)), 'no_window')
  })
})

describe('locating absolute paths', () => {
  it('returns the kind of each path, and its path in the open folder', async () => {
    await symlink('/etc', at('out'))
    const paths = [
      folder.root,
      at('src'),
      at('a.txt'),
      at('gone'),
      at('a.txt/below'),
      path.dirname(folder.root),
      at('out'),
    ]
    expect((await send('files.locate', { paths })).map(({ kind, inWorkspace }) => [kind, inWorkspace])).toEqual([
      ['folder', '.'],
      ['folder', 'src'],
      ['file', 'a.txt'],
      ['missing', 'gone'],
      ['missing', null],
      ['folder', null],
      ['folder', null],
    ])
    await expectFailure(send('files.locate', { paths: ['a.txt'] }), 'invalid_path')
    expect(await send('files.locate', { paths: ['~/no such file'] })).toEqual([
      { path: path.join(homedir(), 'no such file'), kind: 'missing', inWorkspace: null },
    ])
  })

  it('works without an open folder', async () => {
    services = null
    expect(await send('files.locate', { paths: [at('a.txt')] })).toEqual([
      { path: at('a.txt'), kind: 'file', inWorkspace: null },
    ])
  })
})

describe('the folder picker', () => {
  it('lists folders and links to folders, hidden ones last, with the parent folder', async () => {
    await mkdir(at('.hidden'))
    await mkdir(at('b10'))
    await mkdir(at('b9'))
    await symlink('src', at('link'))
    await symlink('nowhere', at('dangling'))
    const listing = await send('folders.list', { path: folder.root })
    expect(listing).toMatchObject({ path: folder.root, parent: path.dirname(folder.root) })
    expect(listing.folders.map(({ name }) => name)).toEqual(['b9', 'b10', 'link', 'src', '.hidden'])
    expect(listing.folders[0]).toEqual({ name: 'b9', path: at('b9') })
  })
  it('starts at home and ends at the root', async () => {
    services = null
    expect((await send('folders.list', {})).path).toBe((await send('folders.list', { path: homedir() })).path)
    expect((await send('folders.list', { path: '/' })).parent).toBeUndefined()
  })
  it('returns a specific error for an invalid or missing folder', async () => {
    await writeFile(at('file'), '')
    await expectFailure(send('folders.list', { path: 'relative' }), 'invalid_path')
    await expectFailure(send('folders.list', { path: '/a\0b' }), 'invalid_path')
    await expectFailure(send('folders.list', { path: at('none') }), 'not_found')
    await expectFailure(send('folders.list', { path: at('file') }), 'not_a_directory')
  })
  it('reports an unreadable folder', async () => {
    await chmod(folder.root, 0o755)
    await chmod(at('src'), 0)
    expect(
      await asUnprivileged(
        `return codeOf(createFileHandlers(() => null)['folders.list']({ path: ${JSON.stringify(at('src'))} }))`,
      ),
    ).toBe('permission_denied')
  })
})
