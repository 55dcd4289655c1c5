import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { openWorkspace } from '../../workspace/containment.ts'
import { createSearch, type Search, type SearchOptions } from '../search.ts'

// Helpers for tests of searches: the real ripgrep over a real folder, or one that does not come to an end.

export const call = { signal: new AbortController().signal }

/** A search over a folder, as `Workspace` opens it. */
export async function searchIn(root: string, options: SearchOptions = {}): Promise<Search> {
  return createSearch(await openWorkspace(root), options)
}

/**
 * A ripgrep that writes all its results and then never ends. Its process id stands in `pidFile` once it runs.
 * @param folder where the script is put; outside the searched folder
 */
export async function endlessRipgrep(folder: string): Promise<{ path: string; pid(): Promise<number> }> {
  const script = path.join(folder, 'endless-rg')
  const pidFile = path.join(folder, 'pid')
  await writeFile(script, `#!/bin/sh\necho $$ > '${pidFile}'\n'${rgPath}' "$@"\nexec sleep 600\n`)
  await chmod(script, 0o755)
  return { path: script, pid: async () => Number(await readFile(pidFile, 'utf8')) }
}

/** Whether a process of this id is there. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
