import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** What the sandbox needs to know about the files of a workspace. Absolute paths. */
export interface WorkspaceScan {
  /** `.git` folders, and `.git` files of worktrees and submodules. */
  git: string[]
  /** Existing protected files and folders, without `.git`. Not what is below a listed folder. */
  protectedPaths: string[]
  /** Existing files with secrets. */
  secrets: string[]
  /** Whether the scan ended before it had read all folders. */
  partial: boolean
}

export interface ScanRules {
  /** Whether a path relative to the workspace is protected; see approval/. */
  isProtected(relative: string): boolean
  isSecret(relative: string): boolean
}

/** Folders of dependencies and build output, which are large and are not read for protected files. */
const skipped = new Set([
  'node_modules',
  'target',
  '.venv',
  'venv',
  '__pycache__',
  'dist',
  'build',
  '.gradle',
  'vendor',
])

/** Maximum number of folders that are read. */
const maxFolders = 20_000

/** Finds git folders, protected files and secrets in a workspace. */
export async function scanWorkspace(root: string, rules: ScanRules): Promise<WorkspaceScan> {
  const found: WorkspaceScan = { git: [], protectedPaths: [], secrets: [], partial: false }
  let open = ['']
  let read = 0
  while (open.length > 0) {
    const batch = open.slice(0, 64)
    open = open.slice(64)
    read += batch.length
    if (read > maxFolders) return { ...found, partial: true }
    const inner = await Promise.all(batch.map((folder) => readFolder(root, folder, rules, found)))
    open.push(...inner.flat())
  }
  return found
}

/** @returns folders to read next */
async function readFolder(root: string, folder: string, rules: ScanRules, found: WorkspaceScan): Promise<string[]> {
  // A folder that was removed or cannot be read has nothing that a command could change.
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => [])
  const inner: string[] = []
  for (const entry of entries) {
    const relative = folder === '' ? entry.name : `${folder}/${entry.name}`
    const absolute = path.join(root, relative)
    if (entry.name === '.git') found.git.push(absolute)
    else if (rules.isSecret(relative) && entry.isFile()) found.secrets.push(absolute)
    else if (rules.isProtected(relative)) found.protectedPaths.push(absolute)
    else if (entry.isDirectory() && !skipped.has(entry.name)) inner.push(relative)
  }
  return inner
}
