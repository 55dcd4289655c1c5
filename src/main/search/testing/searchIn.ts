import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { openWorkspace } from '../../workspace/containment.ts'
import { createSearch, type Search, type SearchOptions } from '../search.ts'

// Test helpers: searches with the real ripgrep in a real folder, and a ripgrep that does not exit.

export const call = { signal: new AbortController().signal }

/** Creates a search in a folder. */
export async function searchIn(root: string, options: SearchOptions = {}): Promise<Search> {
  return createSearch(await openWorkspace(root), options)
}

/**
 * Creates a ripgrep that writes all its results and does not exit. It writes its process id to `pidFile`.
 * @param folder folder for the script, outside the searched folder
 */
export async function endlessRipgrep(folder: string): Promise<{ path: string; pid(): Promise<number> }> {
  const script = path.join(folder, 'endless-rg')
  const pidFile = path.join(folder, 'pid')
  await writeFile(script, `#!/bin/sh\necho $$ > '${pidFile}'\n'${rgPath}' "$@"\nexec sleep 600\n`)
  await chmod(script, 0o755)
  return { path: script, pid: async () => Number(await readFile(pidFile, 'utf8')) }
}

/** Whether a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
