import { execFileSync } from 'node:child_process'
import {
  appendFile,
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { diskFileSystem } from './fileSystem.ts'
import { asUnprivileged, expectFailure, fileSystemWith, mountSmallDisk, systemError } from './testing/disk.ts'
import { maxTextFileSize, readTextFile, writeTextFile, type WriteTextOptions } from './textFile.ts'

const plain = { encoding: 'utf8', eol: '\n' } as const
let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => path.join(folder.root, name)

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'old\n', 'sub/': '' })
})
afterEach(() => folder.remove())

describe('reading', () => {
  it('returns text, format, size and a stamp that changes with the content', async () => {
    const first = await readTextFile(at('a.txt'), 'a.txt')
    expect(first).toMatchObject({ text: 'old\n', format: plain, size: 4 })
    expect((await readTextFile(at('a.txt'), 'a.txt')).stamp).toBe(first.stamp)
    await writeTextFile(at('a.txt'), 'a.txt', 'new\n', plain)
    expect((await readTextFile(at('a.txt'), 'a.txt')).stamp).not.toBe(first.stamp)
  })
  it('rejects a directory', () => expectFailure(readTextFile(at('sub'), 'sub'), 'is_directory'))
  it('rejects a missing file', () => expectFailure(readTextFile(at('none'), 'none'), 'not_found'))
  it('rejects a file over 50 MB without reading it', async () => {
    const handle = await open(at('big.log'), 'w')
    await handle.truncate(maxTextFileSize + 1)
    await handle.close()
    expect((await expectFailure(readTextFile(at('big.log'), 'big.log'), 'too_large')).message).toContain('50 MB')
  })
  it('rejects a binary file and UTF-16 that is not valid', async () => {
    await writeFile(at('x.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]))
    await writeFile(at('wide.txt'), Buffer.from([0xff, 0xfe, 0x41]))
    await expectFailure(readTextFile(at('x.png'), 'x.png'), 'binary_file')
    await expectFailure(readTextFile(at('wide.txt'), 'wide.txt'), 'invalid_encoding')
  })
  it.skipIf(process.platform === 'win32')('rejects a pipe instead of waiting for a writer', async () => {
    execFileSync('mkfifo', [at('pipe')])
    await expectFailure(readTextFile(at('pipe'), 'pipe'), 'invalid_path')
  })
  it.skipIf(process.platform === 'win32')('does not follow a link that replaced the resolved file', async () => {
    await symlink(at('a.txt'), at('link'))
    await expectFailure(readTextFile(at('link'), 'link'), 'invalid_path')
  })
  it('can be cancelled', async () => {
    await expect(readTextFile(at('a.txt'), 'a.txt', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
  it('fails without permission', async () => {
    await chmod(folder.root, 0o755)
    await chmod(at('a.txt'), 0)
    const root = JSON.stringify(folder.root)
    expect(
      await asUnprivileged(`
      const workspace = await openWorkspace(${root})
      return codeOf(createDocuments(workspace, { attached: false }).read('a.txt'))
    `),
    ).toBe('permission_denied')
  })
})

describe('writing', () => {
  it('creates missing folders', async () => {
    await writeTextFile(at('x/y/z.txt'), 'x/y/z.txt', 'z', plain)
    expect(await readFile(at('x/y/z.txt'), 'utf8')).toBe('z')
  })
  it.skipIf(process.platform === 'win32')('keeps permission bits, whatever the umask', async () => {
    await chmod(at('a.txt'), 0o756)
    await writeTextFile(at('a.txt'), 'a.txt', 'new\n', plain)
    expect((await stat(at('a.txt'))).mode & 0o7777).toBe(0o756)
    expect(await readFile(at('a.txt'), 'utf8')).toBe('new\n')
  })
  it.runIf(process.getuid?.() === 0)('keeps the owner of a file when root writes it', async () => {
    await chown(at('a.txt'), 65534, 65534)
    await writeTextFile(at('a.txt'), 'a.txt', 'new\n', plain)
    expect(await stat(at('a.txt'))).toMatchObject({ uid: 65534, gid: 65534 })
  })
  it('leaves no temporary file', async () => {
    await writeTextFile(at('a.txt'), 'a.txt', 'new\n', plain)
    expect(await readdir(folder.root)).toEqual(['a.txt', 'sub'])
  })
  it('does not replace a directory', () => expectFailure(writeTextFile(at('sub'), 'sub', 'x', plain), 'is_directory'))
  it('keeps the old file and no temporary file when cancelled', async () => {
    const controller = new AbortController()
    const fileSystem = fileSystemWith({
      open: async (...args) => {
        const handle = await diskFileSystem.open(...args)
        controller.abort()
        return handle
      },
    })
    const work = writeTextFile(at('a.txt'), 'a.txt', 'new\n'.repeat(100_000), plain, {
      fileSystem,
      signal: controller.signal,
    })
    await expect(work).rejects.toMatchObject({ name: 'AbortError' })
    expect(await readFile(at('a.txt'), 'utf8')).toBe('old\n')
    expect(await readdir(folder.root)).toEqual(['a.txt', 'sub'])
  })
})

describe('another program that writes between the last check and the rename', () => {
  /** Runs `other` just before the new file replaces the old one. */
  const beforeRename = (other: () => Promise<void>) => {
    let isFirst = true
    return fileSystemWith({
      async rename(from, to) {
        if (isFirst) await other()
        isFirst = false
        return diskFileSystem.rename(from, to)
      },
    })
  }
  const edit = async (other: () => Promise<void>) => {
    const before = await readTextFile(at('a.txt'), 'a.txt')
    return writeTextFile(at('a.txt'), 'a.txt', 'new\n', before.format, {
      before,
      expected: before.stamp,
      fileSystem: beforeRename(other),
    })
  }

  it('keeps what it appended, below the edit', async () => {
    const stamp = await edit(() => appendFile(at('a.txt'), 'appended\n'))
    expect(await readFile(at('a.txt'), 'utf8')).toBe('new\nappended\n')
    // A tab loads what was appended.
    expect((await readTextFile(at('a.txt'), 'a.txt')).stamp).not.toBe(stamp)
  })

  it('keeps what it wrote instead, and the edit fails', async () => {
    await expectFailure(
      edit(() => writeFile(at('a.txt'), 'rewritten\n')),
      'changed_on_disk',
    )
    expect(await readFile(at('a.txt'), 'utf8')).toBe('rewritten\n')
    expect(await readdir(folder.root)).toEqual(['a.txt', 'sub'])
  })
})

describe('a write that fails', () => {
  it.each([
    ['ENOSPC', 'no_space'],
    ['EDQUOT', 'no_space'],
    ['EROFS', 'permission_denied'],
    ['EIO', 'io_error'],
  ])('with %s reports %s, changes nothing and leaves no temporary file', async (system, code) => {
    const fileSystem = fileSystemWith({
      open: async (...args) => {
        const handle = await diskFileSystem.open(...args)
        // The write succeeds and the sync fails, as on many disks.
        handle.sync = () => Promise.reject(systemError(system))
        return handle
      },
    })
    await expectFailure(writeTextFile(at('a.txt'), 'a.txt', 'new\n', plain, { fileSystem }), code)
    await expectFailure(writeTextFile(at('new/deep/b.txt'), 'new/deep/b.txt', 'new\n', plain, { fileSystem }), code)
    expect(await readFile(at('a.txt'), 'utf8')).toBe('old\n')
    expect(await readdir(folder.root)).toEqual(['a.txt', 'sub'])
  })

  it('during the rename leaves no temporary file', async () => {
    const fileSystem = fileSystemWith({ rename: () => Promise.reject(systemError('EACCES')) })
    await expectFailure(writeTextFile(at('a.txt'), 'a.txt', 'new\n', plain, { fileSystem }), 'permission_denied')
    expect(await readdir(folder.root)).toEqual(['a.txt', 'sub'])
  })

  it('on a real full disk changes nothing and leaves no temporary file', async (test) => {
    const unmount = (await mountSmallDisk(at('disk'))) ?? test.skip('a 64 KB disk can only be mounted by root on Linux')
    try {
      await writeTextFile(at('disk/small.txt'), 'small.txt', 'small\n', plain)
      const failure = await expectFailure(
        writeTextFile(at('disk/small.txt'), 'small.txt', 'x'.repeat(100_000), plain),
        'no_space',
      )
      await expectFailure(
        writeTextFile(at('disk/new/other.txt'), 'new/other.txt', 'x'.repeat(100_000), plain),
        'no_space',
      )
      expect(failure.message).toContain('full')
      expect(await readFile(at('disk/small.txt'), 'utf8')).toBe('small\n')
      expect(await readdir(at('disk'))).toEqual(['small.txt'])
    } finally {
      await unmount()
    }
  })

  it('without write permission for the file or its folder changes nothing', async () => {
    await chmod(folder.root, 0o755)
    await mkdir(at('open'))
    await writeFile(at('open/locked.txt'), 'locked')
    await writeFile(at('sub/mine.txt'), 'mine')
    await chmod(at('open'), 0o777)
    await chmod(at('open/locked.txt'), 0o444)
    await chmod(at('sub'), 0o555)
    await chmod(at('sub/mine.txt'), 0o666)
    const codes = await asUnprivileged(`
      const documents = createDocuments(await openWorkspace(${JSON.stringify(folder.root)}), { attached: false })
      return Promise.all(['open/locked.txt', 'sub/mine.txt', 'sub/new.txt', 'open/fine.txt'].map((name) => codeOf(documents.write(name, 'changed'))))
    `)
    expect(codes).toEqual(['permission_denied', 'permission_denied', 'permission_denied', 'ok'])
    expect(await readFile(at('open/locked.txt'), 'utf8')).toBe('locked')
    expect((await readdir(at('open'))).toSorted()).toEqual(['fine.txt', 'locked.txt'])
    expect(await readdir(at('sub'))).toEqual(['mine.txt'])
    await chmod(at('sub'), 0o755)
  })
})

describe.skipIf(process.platform === 'win32')('a save of the user', () => {
  const save = (name: string, text: string, options: WriteTextOptions = {}) =>
    writeTextFile(at(name), name, text, plain, { keepIdentity: true, ...options })

  it('keeps the other names of a file, and a write of a tool replaces only its own name', async () => {
    await link(at('a.txt'), at('other.txt'))
    const { stamp } = await readTextFile(at('a.txt'), 'a.txt')
    const saved = await save('a.txt', 'new\n', { expected: stamp })
    expect(await readFile(at('other.txt'), 'utf8')).toBe('new\n')
    // The same size within one tick of the clock.
    const again = await save('a.txt', 'now\n', { expected: saved })
    expect(new Set([stamp, saved, again]).size).toBe(3)
    expect((await readTextFile(at('a.txt'), 'a.txt')).stamp).toBe(again)
    await save('a.txt', 'x\n')
    expect(await readFile(at('other.txt'), 'utf8')).toBe('x\n')
    await expectFailure(save('a.txt', 'late\n', { expected: stamp }), 'changed_on_disk')
    await writeTextFile(at('a.txt'), 'a.txt', 'tool\n', plain)
    expect(await readFile(at('other.txt'), 'utf8')).toBe('x\n')
  })

  it('that fails midway in a file with other names restores its content', async () => {
    await link(at('a.txt'), at('other.txt'))
    for (const call of ['write', 'truncate', 'sync'] as const) {
      let failed = false
      const fileSystem = fileSystemWith({
        open: async (...args) => {
          const handle = await diskFileSystem.open(...args)
          const original = handle[call].bind(handle) as () => Promise<never>
          const failing = (...given: []) => {
            if (failed) return original(...given)
            failed = true
            return Promise.reject(systemError('ENOSPC'))
          }
          return Object.assign(handle, { [call]: failing })
        },
      })
      await expectFailure(save('a.txt', 'a much longer text\n', { fileSystem }), 'no_space')
      expect(await readFile(at('other.txt'), 'utf8')).toBe('old\n')
    }
  })

  it('writes a file whose folder is write-protected, unlike a write of a tool', async () => {
    // Only root can give the folder to somebody else.
    if (process.getuid?.() !== 0) return
    await chmod(folder.root, 0o755)
    await chmod(at('a.txt'), 0o666)
    await chown(at('a.txt'), 65_534, 65_534)
    const codes = await asUnprivileged(`
      const documents = createDocuments(await openWorkspace(${JSON.stringify(folder.root)}), { attached: false })
      process.umask(0)
      const { stamp, format } = await documents.open('a.txt')
      return [await codeOf(documents.write('a.txt', 'tool')), await codeOf(documents.save('a.txt', 'mine', format, { stamp }))]
    `)
    expect(codes).toEqual(['permission_denied', 'ok'])
    expect(await readFile(at('a.txt'), 'utf8')).toBe('mine')
  })

  it('writes a file that is mounted on its own', async () => {
    const fileSystem = fileSystemWith({ rename: () => Promise.reject(systemError('EBUSY')) })
    await save('a.txt', 'new\n', { fileSystem })
    expect(await readFile(at('a.txt'), 'utf8')).toBe('new\n')
    expect(await readdir(folder.root)).toEqual(['a.txt', 'sub'])
    await expectFailure(save('a.txt', 'late\n', { fileSystem, expected: '1' }), 'changed_on_disk')
  })

  it('keeps the owner and the group of a file that belongs to somebody else', async () => {
    if (process.getuid?.() !== 0) return
    await chmod(folder.root, 0o777)
    await chown(at('a.txt'), 0, 12_345)
    await chmod(at('a.txt'), 0o666)
    const codes = await asUnprivileged(`
      const documents = createDocuments(await openWorkspace(${JSON.stringify(folder.root)}), { attached: false })
      const { stamp, format } = await documents.open('a.txt')
      return codeOf(documents.save('a.txt', 'mine', format, { stamp }))
    `)
    expect(codes).toBe('ok')
    expect(await stat(at('a.txt'))).toMatchObject({ uid: 0, gid: 12_345 })
    expect(await readFile(at('a.txt'), 'utf8')).toBe('mine')
  })
})

it.skipIf(process.platform === 'win32')('writing the real path of a symlink keeps the symlink', async () => {
  await symlink('a.txt', at('link'))
  await writeTextFile(path.join(folder.root, await readlink(at('link'))), 'link', 'through\n', plain)
  expect((await lstat(at('link'))).isSymbolicLink()).toBe(true)
  expect(await readFile(at('link'), 'utf8')).toBe('through\n')
})
