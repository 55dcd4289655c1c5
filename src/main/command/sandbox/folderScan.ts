import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import path from 'node:path'
import type { ScanRules, WorkspaceScan, WorkspaceScanner } from './sandboxTypes.ts'

/** Folders of installed packages and caches, which are too large to scan. */
const skipped = new Set(['node_modules', 'target', '.venv', 'venv', '__pycache__', '.gradle'])
/**
 * Folders of build output and copied dependencies. Scanned last, for git folders and secrets. Protected paths in them
 * stay writable, because programs replace these folders as a whole.
 */
const outputFolders = new Set(['vendor', 'dist', 'build', 'out'])

export interface ScanLimits {
  /** Maximum number of folders. */
  folders: number
  /** Maximum number of writable protected paths. */
  writable: number
  /** Maximum time in milliseconds. */
  time: number
}
const defaultLimits: ScanLimits = { folders: 20_000, writable: 2000, time: 15_000 }

/**
 * Milliseconds after a change in which a second one may leave a folder's timestamps unchanged. Kernels update them in
 * steps of up to 10 ms.
 */
const stampStep = 100

/** `protected`: inside a protected path. `output`: inside a build output folder. */
type Zone = 'source' | 'protected' | 'output'

/** Direct children of a folder. Paths are relative to the root. */
interface Findings {
  inner: { relative: string; zone: Zone }[]
  git: string[]
  protectedPaths: string[]
  secrets: string[]
  writable: string[]
}

interface Folder extends Findings {
  inode: number
  ctimeMs: number
  zone: Zone
  /**
   * Whether it was read long enough after its last change (`stampStep`) that a later change would alter its timestamps.
   */
  settled: boolean
}

/**
 * Scans a workspace synchronously. Folders with unchanged timestamps are not read again, so a second scan takes one
 * `lstat` per folder. Programs cannot set change times.
 */
export function createFolderScan(root: string, rules: ScanRules, limits = defaultLimits): () => WorkspaceScan {
  let known = new Map<string, Folder>()

  function folderAt(relative: string, zone: Zone): Folder | undefined {
    // `path.join` would take a tenth of the scan time.
    const stats = lstatSync(relative === '' ? root : root + path.sep + relative, { throwIfNoEntry: false })
    if (!stats?.isDirectory()) return undefined
    const { ino: inode, ctimeMs } = stats
    const before = known.get(relative)
    if (before?.settled && before.inode === inode && before.ctimeMs === ctimeMs && before.zone === zone) return before
    const settled = Math.abs(Date.now() - ctimeMs) > stampStep
    return { inode, ctimeMs, zone, settled, ...readFolder(root, relative, zone, rules) }
  }

  return () => {
    const started = performance.now()
    const now = new Map<string, Folder>()
    const open: Folder['inner'] = [{ relative: '', zone: 'source' }]
    const last: Folder['inner'] = []
    let partial = false
    let at = 0
    for (;;) {
      if (at === open.length) open.push(...last.splice(0))
      const next = open[at++]
      if (next === undefined) break
      if (now.size >= limits.folders || performance.now() - started > limits.time) {
        partial = true
        break
      }
      const folder = readable(() => folderAt(next.relative, next.zone))
      if (folder === undefined) continue
      now.set(next.relative, folder)
      for (const inner of folder.inner) (inner.zone === 'output' ? last : open).push(inner)
    }
    known = now
    return collect(root, [...now.values()], limits, partial)
  }
}

/** Creates a scanner in this thread. */
export function createScanner(root: string, rules: ScanRules): WorkspaceScanner {
  const scan = createFolderScan(root, rules)
  return { scan: async () => scan(), dispose: async () => undefined }
}

/** A folder that was removed or cannot be read contains nothing that a command could change. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function readFolder(root: string, relative: string, zone: Zone, rules: ScanRules): Findings {
  const found: Findings = { inner: [], git: [], protectedPaths: [], secrets: [], writable: [] }
  const entries = readdirSync(path.join(root, relative), { withFileTypes: true })
  if (isBareRepository(entries)) found.git.push(relative)
  for (const entry of entries)
    addEntry(found, entry, relative === '' ? entry.name : `${relative}/${entry.name}`, zone, rules)
  return found
}

function addEntry(found: Findings, entry: Dirent, relative: string, zone: Zone, rules: ScanRules): void {
  if (entry.name === '.git') return void found.git.push(relative)
  const folder = entry.isDirectory()
  // A protected secret is in both lists, because a command may be allowed to read it.
  if ((entry.isFile() || entry.isSocket()) && rules.isSecret(relative)) found.secrets.push(relative)
  if (zone === 'protected') {
    if (folder) found.inner.push({ relative, zone })
    return
  }
  const isProtected = rules.isProtected(relative)
  if (isProtected && zone === 'source' && !entry.isSymbolicLink()) {
    found.protectedPaths.push(relative)
    if (folder) found.inner.push({ relative, zone: 'protected' })
  } else if (isProtected && !folder) found.writable.push(relative)
  else if (folder && !skipped.has(entry.name))
    found.inner.push({ relative, zone: outputFolders.has(entry.name) ? 'output' : zone })
}

/** See gitrepository-layout(5). */
function isBareRepository(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()))
  return names.has('head') && ((names.has('objects') && names.has('refs')) || names.has('commondir'))
}

function collect(root: string, folders: readonly Folder[], limits: ScanLimits, partial: boolean): WorkspaceScan {
  const all = (select: (folder: Folder) => readonly string[]): string[] =>
    folders.flatMap(select).map((relative) => path.join(root, relative))
  const writable = all((folder) => folder.writable)
  return {
    git: all((folder) => folder.git),
    protectedPaths: all((folder) => folder.protectedPaths),
    secrets: all((folder) => folder.secrets),
    writable: new Map(writable.slice(0, limits.writable).map((file) => [file, fileStamp(file)])),
    partial: partial || writable.length > limits.writable,
  }
}

function fileStamp(file: string): string {
  const stats = readable(() => lstatSync(file, { throwIfNoEntry: false }))
  return stats === undefined ? '' : `${stats.ino} ${stats.ctimeMs} ${stats.size}`
}
