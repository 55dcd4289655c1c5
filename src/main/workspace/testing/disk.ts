import { execFile } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { ToolError } from '../../../shared/errors.ts'
import { diskFileSystem, type FileSystem } from '../fileSystem.ts'

// Test helpers: expected error codes, full disks, and a user with limited permissions.

const run = promisify(execFile)

/** Expects a `ToolError` with this code, a message and a next step. */
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
 * Runs module code in a separate process without root permissions and returns its result. The code can use
 * `openWorkspace`, `createDocuments`, `createFileOperations`, `createFileHandlers` and `codeOf(promise)`, which returns
 * the error code or `ok`.
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

/** Returns the real file system with some calls replaced. */
export function fileSystemWith(changes: Partial<FileSystem>): FileSystem {
  return { ...diskFileSystem, ...changes }
}

/** Creates a system error like those of node:fs. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code, syscall: 'test' })
}

/**
 * Mounts a file system of `size` at a folder. Null unless the process is root on Linux.
 * @returns a function that unmounts it
 */
export async function mountSmallDisk(folder: string, size = '64k'): Promise<(() => Promise<void>) | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  await mkdir(folder, { recursive: true })
  const before = (await stat(folder)).dev
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  } catch {
    return null // No permission to mount, e.g. in a container. The simulated full disk still covers the code.
  }
  expect((await stat(folder)).dev).not.toBe(before)
  return async () => void (await run('umount', [folder]))
}
