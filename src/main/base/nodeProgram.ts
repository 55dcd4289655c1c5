import { realpathSync } from 'node:fs'
import path from 'node:path'
import { findProgramByName } from './programSearch.ts'

/**
 * Returns the Node that runs scripts in the sandbox: this process's own, or, because the Electron binary does not run
 * as Node, one on PATH outside the open folders.
 */
export function nodeProgram(): string | undefined {
  if (process.versions['electron'] === undefined) return process.execPath
  const found = findProgramByName('node', process.env['PATH'] ?? '')
  if (found === undefined) return undefined
  // A link can lead to something hidden in the sandbox. A version manager's program needs its link's name.
  const real = realpathSync(found)
  return path.basename(real) === path.basename(found) ? real : found
}
