import { execFile } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { ToolError } from '../../../shared/errors.ts'
import { diskFileSystem, type FileSystem } from '../fileSystem.ts'

// Helpers for tests of files: error codes, full disks, and a user who may not do everything.

const run = promisify(execFile)

/** Expects a `ToolError` of this code that says what, why and what next. */
export async function expectFailure(work: Promise<unknown>, code: string): Promise<ToolError> {
  const error: unknown = await work.then(
    () => 'it succeeded',
    (reason: unknown) => reason,
  )
  if (!(error instanceof ToolError))
    throw new Error(`A ToolError was expected, but: ${String(error)}`, { cause: error })
  expect(error.code).toBe(code)
  expect(error.message).not.toBe('')
  expect(error.next).not.toBe('')
  return error
}

/**
 * Runs a piece of module code in a process of its own without root's power over every file, and gives what it returns. In it stand
 * `openWorkspace`, `createDocuments`, `createFileOperations`, `createFileHandlers`, and `codeOf(promise)`: the failure's code or `ok`.
 */
export async function asUnprivileged(body: string): Promise<unknown> {
  const module = (relative: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, relative)).href)
  const script = `
    const { openWorkspace } = await import(${module('../containment.ts')})
    const { createDocuments } = await import(${module('../documents.ts')})
    const { createFileOperations } = await import(${module('../fileOperations.ts')})
    const { createFileHandlers } = await import(${module('../../handlers/fileHandlers.ts')})
    const codeOf = (work) => work.then(() => 'ok', (error) => error.code)
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534) }
    const result = await (async () => { ${body} })()
    process.stdout.write(JSON.stringify(result))
  `
  const { stdout } = await run(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], { cwd: '/' })
  return JSON.parse(stdout)
}

/** The real file system with some calls replaced. */
export function fileSystemWith(changes: Partial<FileSystem>): FileSystem {
  return { ...diskFileSystem, ...changes }
}

/** A system error as node:fs throws it. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code, syscall: 'test' })
}

/** A file system of 64 KB at a folder, for root on Linux; null where that cannot be mounted. @returns unmount */
export async function mountSmallDisk(folder: string): Promise<(() => Promise<void>) | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  await mkdir(folder, { recursive: true })
  const before = (await stat(folder)).dev
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  } catch {
    return null // A container without the right to mount: the injected full disk covers the code.
  }
  expect((await stat(folder)).dev).not.toBe(before)
  return async () => void (await run('umount', [folder]))
}
