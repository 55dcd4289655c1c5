import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { openJsonFile } from './jsonFile.ts'
import { programFiles } from './programFiles.ts'

/**
 * The programs in an open folder that Tizona starts on its own: language servers, formatters and their configurations
 * that are programs. Trusting a folder covers them as they are then. New or changed ones need approval, because the
 * agent can write them.
 */
export interface FolderPrograms {
  /**
   * Whether a program is unchanged since the user trusted the folder or allowed it. If not, it is added to `pending`.
   */
  isApproved(file: string): Promise<boolean>
  /** Programs that would have started but need approval. Paths relative to the folder. */
  pending(): string[]
  /** Allows the current version of a program. @param program one of `pending` */
  approve(program: string): Promise<void>
  /** Allows the current version of all programs. Call this when the user trusts the folder. */
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
 * Opens `trusted-programs.json` in the user data folder. Records a trusted folder that has no record now, before
 * anything in it can change.
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
  // Callers report the failure.
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
      if (hash === noCode || (hash !== null && hash === approved)) return true
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

/** Hash of a configuration that names no code. */
const noCode = 'no code'

/**
 * Returns a function that hashes a program's files (programFiles.ts). Null if the program is missing or too large.
 * Files are only read again after their change time differs, which programs cannot set.
 */
function createFingerprints(): (file: string) => Promise<string | null> {
  const known = new Map<string, { times: string; hash: string }>()
  return async (file) => {
    const files = await programFiles(file)
    if (files === null) return null
    if (files.length === 0) return noCode
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
