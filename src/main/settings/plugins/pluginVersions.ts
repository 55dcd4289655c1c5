import { randomUUID } from 'node:crypto'
import { chmod, lstat, opendir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { maxExtensionBytes } from '../../../shared/extensions/extensions.ts'
import { maxPluginFiles } from '../../../shared/plugins/plugins.ts'
import { makeFolder } from '../../base/makeFolder.ts'
import { fileListSchema, hashOfFiles, sha256, type FileList } from './pluginRecord.ts'

/** A version of a plug-in, by the name of the plug-in and the hash of its files. */
export interface VersionId {
  name: string
  hash: string
}

/** Copies of the files of plug-ins: a folder for each version, which is complete or not there. */
export interface PluginVersions {
  /** Writes a version. Replaces one whose files have changed. @returns the hash of its files */
  write(name: string, files: ReadonlyMap<string, Uint8Array>): Promise<{ hash: string; list: FileList }>
  /** The list of the files; empty if it is missing or was changed. */
  list(version: VersionId): Promise<FileList>
  /** Returns the files that were changed, added or removed since the version was written. */
  changedFiles(version: VersionId): Promise<string[]>
  /** Returns the content of a file; null if it is missing or was changed. */
  read(version: VersionId, file: string): Promise<Uint8Array | null>
  /** Real path of the folder with the files. */
  rootOf(version: VersionId): Promise<string>
  remove(version: VersionId): Promise<void>
  /** Removes versions that nothing refers to, and what interrupted changes left. */
  sweep(known: readonly VersionId[]): Promise<void>
}

const listFile = 'files.json'
const filesFolder = 'files'
/** Prefix of folders that are being written or removed. */
const temporaryPrefix = '.new-'
/** Age in milliseconds after which no program writes a folder any more. */
const abandonedMs = 3_600_000
/** Milliseconds after which a change of a file has another change time than the one before. */
const settledMs = 2000
/** Characters of the hash in a folder name, so many that nobody makes two versions with the same. */
const namedHash = 32

/** @param folder with a folder for each plug-in */
export function createPluginVersions(folder: string): PluginVersions {
  /** Facts of files that had the expected content, by their path. */
  const verified = new Map<string, string>()
  const folderOf = ({ name, hash }: VersionId) =>
    path.join(folder, path.basename(name.toLowerCase()), path.basename(hash).slice(0, namedHash))
  const rootOf = (version: VersionId) => path.join(folderOf(version), filesFolder)

  async function list(version: VersionId): Promise<FileList> {
    try {
      const file = path.join(folderOf(version), listFile)
      if ((await stat(file)).size > maxPluginFiles * 1000) return {}
      const found = fileListSchema.parse(JSON.parse(await readFile(file, 'utf8')))
      return hashOfFiles(found) === version.hash ? found : {}
    } catch {
      return {} // Missing or damaged: every file counts as changed.
    }
  }

  /** Whether a file has the expected content. Reads it again only if the system reports a change. */
  async function isSame(absolute: string, hash: string): Promise<boolean> {
    const stats = await lstat(absolute, { bigint: true })
    if (!stats.isFile() || stats.size > BigInt(maxExtensionBytes)) return false
    // Programs cannot set the change time (ctime).
    const facts = [hash, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
    if (verified.get(absolute) === facts) return true
    const same = sha256(await readFile(absolute)) === hash
    // A later change within the same tick of the clock would leave the same time.
    const isSettled = Date.now() - Number(stats.ctimeMs) > settledMs
    if (same && isSettled) verified.set(absolute, facts)
    else verified.delete(absolute)
    return same
  }

  async function changedFiles(version: VersionId): Promise<string[]> {
    const expected = new Map(Object.entries(await list(version)))
    if (expected.size === 0) return [listFile]
    const root = rootOf(version)
    const changed: string[] = []
    const walk = async (relative: string): Promise<void> => {
      for await (const entry of await opendir(path.join(root, relative))) {
        if (changed.length > maxPluginFiles) return
        const name = relative === '' ? entry.name : `${relative}/${entry.name}`
        if (entry.isDirectory()) {
          await walk(name)
          continue
        }
        const facts = expected.get(name)
        expected.delete(name)
        const same = facts !== undefined && (await isSame(path.join(root, name), facts.hash).catch(() => false))
        if (!same) changed.push(name)
      }
    }
    await walk('').catch(() => undefined) // What cannot be listed counts as removed.
    return [...changed, ...expected.keys()].toSorted()
  }

  async function discard(place: string): Promise<void> {
    const removed = path.join(folder, `${temporaryPrefix}${randomUUID()}`)
    try {
      await rename(place, removed)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    // A program of the plug-in can have it open on Windows. The next start removes it.
    await rm(removed, { recursive: true, force: true }).catch(() => undefined)
  }

  return {
    list,
    changedFiles,
    rootOf: async (version) => realpath(rootOf(version)).catch(() => rootOf(version)),
    async write(name, files) {
      const facts: Record<string, { size: number; hash: string }> = {}
      for (const [file, content] of files) {
        facts[file] = { size: content.length, hash: sha256(content) }
        await setImmediate()
      }
      const version = { name, hash: hashOfFiles(facts) }
      const written = { hash: version.hash, list: facts }
      if ((await changedFiles(version)).length === 0) return written
      const temporary = path.join(folder, `${temporaryPrefix}${randomUUID()}`)
      try {
        for (const [file, content] of files) {
          const absolute = path.join(temporary, filesFolder, file)
          await makeFolder(path.dirname(absolute))
          await writeFile(absolute, content, { flag: 'wx', mode: 0o600 })
          // Read-only, so that a program of the plug-in does not change itself by accident.
          await chmod(absolute, isProgram(content) ? 0o500 : 0o400)
        }
        await writeFile(path.join(temporary, listFile), JSON.stringify(facts), { mode: 0o600 })
        await discard(folderOf(version))
        await makeFolder(path.dirname(folderOf(version)))
        await rename(temporary, folderOf(version))
      } finally {
        await rm(temporary, { recursive: true, force: true })
      }
      return written
    },
    async read(version, file) {
      const expected = await list(version)
      const facts = Object.hasOwn(expected, file) ? expected[file] : undefined
      if (facts === undefined) return null
      const content = await readFile(path.join(rootOf(version), file)).catch(() => null)
      return content !== null && sha256(content) === facts.hash ? content : null
    },
    remove: (version) => discard(folderOf(version)),
    sweep: (known) => sweepFolder(folder, new Set(known.map(folderOf))),
  }
}

/** Folder that is being written or removed. */
const temporaryName = /^\.new-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const versionName = /^[\da-f]{32}$/

/**
 * Removes folders of versions other than `kept`, and of interrupted changes, if they are old. Leaves everything else:
 * users put links and folders of their own here.
 */
async function sweepFolder(folder: string, kept: ReadonlySet<string>): Promise<void> {
  if (!(await isFolder(folder))) return
  for (const name of await foldersIn(folder)) {
    if (temporaryName.test(name)) await removeAbandoned(path.join(folder, name))
    else
      for (const version of await foldersIn(path.join(folder, name))) {
        const place = path.join(folder, name, version)
        if (versionName.test(version) && !kept.has(place) && (await isVersion(place))) await removeAbandoned(place)
      }
  }
}

async function removeAbandoned(place: string): Promise<void> {
  const found = await lstat(place).catch(() => null)
  if (found && Date.now() - found.mtimeMs > abandonedMs)
    await rm(place, { recursive: true, force: true }).catch(() => undefined)
}

/** Names of the folders in a folder, without links to folders. */
async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

const isFolder = (place: string) =>
  lstat(place).then(
    (found) => found.isDirectory(),
    () => false,
  )

async function isVersion(place: string): Promise<boolean> {
  const list = await lstat(path.join(place, listFile)).catch(() => null)
  return list?.isFile() === true && (await isFolder(path.join(place, filesFolder)))
}

/** First bytes of scripts and of the programs of Linux and macOS. */
const programStarts = ['2321', '7f454c46', 'cffaedfe', 'cafebabe'].map((digits) => Buffer.from(digits, 'hex'))

function isProgram(content: Uint8Array): boolean {
  return programStarts.some((start) => Buffer.from(content.subarray(0, start.length)).equals(start))
}
