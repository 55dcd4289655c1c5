import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { readSmallFile } from '../base/smallFile.ts'
import { openJsonFile } from './jsonFile.ts'

/**
 * The programs of an open folder that Tizona starts by itself: language servers and formatters. Trust in a folder covers
 * them as they were then; what is new or changed needs approval, because the agent can write them.
 */
export interface FolderPrograms {
  /** Whether a program is as it was when the user trusted the folder or allowed it. If not, it is in `pending`. */
  isApproved(file: string): Promise<boolean>
  /** Programs that would have started but need approval. Paths relative to the folder. */
  pending(): string[]
  /** Allows a program as it is now. @param program one of `pending` */
  approve(program: string): Promise<void>
  /** Allows all programs as they are now. Call it when the user trusts the folder. */
  approveAll(): Promise<void>
  /** Waits until the record is written. */
  close(): Promise<void>
}

export interface FolderProgramsDeps {
  userData: string
  /** Real path of the folder. */
  root: string
  isTrusted(): boolean
  /** Lists the programs that Tizona might start. Absolute paths. */
  candidates(): Promise<readonly string[]>
  onPending(programs: string[]): void
  /** Called once for a program that needs approval. */
  onRefused(program: string): void
  onNotice(message: string): void
}

const storeSchema = z.array(z.object({ workspace: z.string(), programs: z.record(z.string(), z.string()) }))

/** Maximum number of folders. The oldest are removed first; their programs are then recorded again. */
const maxFolders = 1000

/**
 * Opens `trusted-programs.json` in the user data folder. A trusted folder without a record gets one now, before anything
 * can change in it.
 */
export function createFolderPrograms(deps: FolderProgramsDeps): FolderPrograms {
  const { root } = deps
  const pending = new Set<string>()
  const fingerprint = createFingerprints()
  const relative = (file: string): string => path.relative(root, file).split(path.sep).join('/')
  const opened = openJsonFile(path.join(deps.userData, 'trusted-programs.json'), storeSchema, [], deps.onNotice)
  const ready = opened.then(async (store) => {
    if (deps.isTrusted() && !store.value.some(({ workspace }) => workspace === root)) await approveAll()
  })
  // Its users report the failure.
  ready.catch(() => undefined)

  async function record(change: (programs: Record<string, string>) => Record<string, string>): Promise<void> {
    const store = await opened
    await store.update((folders) => {
      const before = folders.find(({ workspace }) => workspace === root)
      const others = folders.filter((folder) => folder !== before)
      return [...others, { workspace: root, programs: change({ ...before?.programs }) }].slice(-maxFolders)
    })
  }

  async function approveAll(): Promise<void> {
    const files = await deps.candidates()
    const hashes = await Promise.all(files.map(async (file) => [relative(file), await fingerprint(file)] as const))
    await record(() => Object.fromEntries(hashes.filter((entry): entry is [string, string] => entry[1] !== null)))
    setPending(() => pending.clear())
  }

  function setPending(change: () => void): void {
    const before = pending.size
    change()
    if (pending.size !== before) deps.onPending([...pending])
  }

  return {
    async isApproved(file) {
      await ready
      const [hash, store] = [await fingerprint(file), await opened]
      const approved = store.value.find(({ workspace }) => workspace === root)?.programs[relative(file)]
      if (hash !== null && hash === approved) return true
      if (!pending.has(relative(file))) deps.onRefused(relative(file))
      setPending(() => pending.add(relative(file)))
      return false
    },
    pending: () => [...pending],
    async approve(program) {
      if (!pending.has(program)) return
      const hash = await fingerprint(path.join(root, program))
      if (hash !== null) await record((programs) => ({ ...programs, [program]: hash }))
      setPending(() => pending.delete(program))
    },
    async approveAll() {
      await ready
      await approveAll()
    },
    close: () => ready.catch(() => undefined),
  }
}

/** Limits of what is read for one program. A program that exceeds them is never approved. */
const maxPackages = 500
const maxFiles = 50_000

/**
 * Returns a function that computes a hash of a program: the file, and for one in `node_modules` its package with all
 * packages that it depends on. Null if the program is missing or too large. The contents are read again only after a
 * change time differs, which programs cannot set.
 */
function createFingerprints(): (file: string) => Promise<string | null> {
  const known = new Map<string, { times: string; hash: string }>()
  return async (file) => {
    const files = await filesOf(file)
    if (files === null) return null
    const stats = await Promise.all(files.map((each) => stat(each, { bigint: true }).catch(() => undefined)))
    const times = digest(files.map((each, index) => `${each} ${stats[index]?.size} ${stats[index]?.ctimeNs}`))
    const before = known.get(file)
    if (before?.times === times) return before.hash
    const hashes: string[] = []
    for (const each of files) hashes.push(`${each} ${await hashFile(each)}`)
    const hash = digest(hashes)
    known.set(file, { times, hash })
    return hash
  }
}

const digest = (lines: readonly string[]): string => createHash('sha256').update(lines.join('\n')).digest('hex')

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  } catch {
    return 'unreadable'
  }
  return hash.digest('hex')
}

/** Files of a program, sorted; null if it is missing or has too many. */
async function filesOf(file: string): Promise<string[] | null> {
  const real = await realpath(file).catch(() => undefined)
  if (real === undefined) return null
  const first = [packageOf(real)]
  // A script in `.bin` that is no link starts the package of its name.
  if (path.basename(path.dirname(file)) === '.bin')
    first.push(await realpath(path.join(path.dirname(file), '..', path.basename(file))).catch(() => undefined))
  const packages = await withDependencies(first.filter((each) => each !== undefined))
  if (packages === null) return null
  const files = new Set([real])
  for (const folder of packages) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
      if (entry.isFile()) files.add(path.join(entry.parentPath, entry.name))
      if (files.size > maxFiles) return null
    }
  }
  return [...files].toSorted()
}

/** Returns the folder of the innermost package in `node_modules` that contains a file. */
function packageOf(file: string): string | undefined {
  const parts = file.split(path.sep)
  const index = parts.lastIndexOf('node_modules')
  if (index < 0) return undefined
  const length = parts[index + 1]?.startsWith('@') === true ? 3 : 2
  return parts.slice(0, index + length).join(path.sep)
}

async function withDependencies(first: readonly string[]): Promise<Set<string> | null> {
  const packages = new Set(first)
  for (const folder of packages) {
    if (packages.size > maxPackages) return null
    for (const name of await dependenciesOf(folder)) {
      const found = await findPackage(name, folder)
      if (found !== undefined) packages.add(found)
    }
  }
  return packages
}

async function dependenciesOf(folder: string): Promise<string[]> {
  const text = await readSmallFile(path.join(folder, 'package.json'))
  try {
    const manifest: unknown = JSON.parse(text ?? '{}')
    if (typeof manifest !== 'object' || manifest === null) return []
    const { dependencies, optionalDependencies } = manifest as Record<string, unknown>
    return [dependencies, optionalDependencies].flatMap((list) =>
      typeof list === 'object' && list !== null ? Object.keys(list) : [],
    )
  } catch {
    return []
  }
}

/** Finds a package as Node does: in the `node_modules` of a folder and of those above it. */
async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = await realpath(path.join(folder, 'node_modules', name)).catch(() => undefined)
    if (found !== undefined) return found
    if (path.dirname(folder) === folder) return undefined
  }
}
