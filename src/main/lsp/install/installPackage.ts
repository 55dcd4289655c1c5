import { createHash, randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeFolder } from '../../base/makeFolder.ts'
import { isAbort, ToolError } from '../../../shared/errors.ts'

/** A package in a server's dependency closure, from serverPackages.json. */
export interface PinnedPackage {
  /** Its location, e.g. `node_modules/a/node_modules/b`. */
  path: string
  version: string
  /** SHA-512 of its archive, as in npm's lock file. */
  integrity: string
  /** Platforms that need it. Default: all. */
  os?: string[]
}

export interface InstallDeps {
  /** Downloads an archive from the registry. */
  download(url: string, maxBytes: number, signal: AbortSignal): Promise<Buffer>
  /** URL of the registry, without a trailing slash. */
  registry: string
  /** Called with the number of installed packages. */
  onProgress(done: number, total: number): void
}

/** Maximum bytes of an archive. The largest has 20 MB. */
const maxArchive = 64 * 1024 * 1024
const maxConcurrent = 6

/**
 * Installs pinned packages without npm and without running their scripts: all of them or, if one fails, none.
 * @param folder replaced by the new installation
 * @throws ToolError network_error, timeout, conflict if an archive has another hash, no_space
 */
export async function installPackages(
  packages: readonly PinnedPackage[],
  folder: string,
  { download, registry, onProgress }: InstallDeps,
  signal: AbortSignal,
): Promise<void> {
  const needed = packages.filter(({ os }) => os === undefined || os.includes(process.platform))
  const temporary = `${folder}.install-${randomBytes(4).toString('hex')}`
  // A failure aborts the other downloads.
  const failed = new AbortController()
  const ending = AbortSignal.any([signal, failed.signal])
  const waiting = [...needed]
  let done = 0

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      ending.throwIfAborted()
      const archive = await download(archiveUrl(registry, next), maxArchive, ending)
      checkIntegrity(next, archive)
      await unpack(archive, path.join(temporary, next.path))
      done += 1
      onProgress(done, needed.length)
    }
  }

  try {
    const workers = Array.from({ length: maxConcurrent }, () =>
      work().catch((error: unknown) => {
        failed.abort()
        throw error
      }),
    )
    // All have ended before the folder is removed. One failure aborts the others.
    const ends = await Promise.allSettled(workers)
    const failures = ends.flatMap((end): Error[] => (end.status === 'rejected' ? [end.reason as Error] : []))
    const cause = failures.find((error) => signal.aborted || !isAbort(error)) ?? failures[0]
    if (cause !== undefined) throw cause
    await rm(folder, { recursive: true, force: true })
    await rename(temporary, folder)
  } finally {
    failed.abort()
    await rm(temporary, { recursive: true, force: true })
  }
}

function nameOf({ path: place }: PinnedPackage): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function archiveUrl(registry: string, pinned: PinnedPackage): string {
  const name = nameOf(pinned)
  return `${registry}/${name}/-/${name.split('/').at(-1)}-${pinned.version}.tgz`
}

function checkIntegrity(pinned: PinnedPackage, archive: Buffer): void {
  const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  if (found === pinned.integrity) return
  throw new ToolError(
    'conflict',
    `The download of ${nameOf(pinned)} ${pinned.version} does not match the checksum that Tizona expects.`,
    'Nothing was installed. Check the registry in the settings.',
  )
}

/** Only unpacks files and folders; npm archives contain no links. */
async function unpack(archive: Buffer, folder: string): Promise<void> {
  const { extract } = await import('tar')
  await makeFolder(folder)
  await pipeline(
    Readable.from([archive]),
    extract({
      cwd: folder,
      strip: 1,
      strict: true,
      preserveOwner: false,
      filter: (_name, entry) => 'type' in entry && ['File', 'OldFile', 'Directory'].includes(entry.type),
    }),
  )
}
