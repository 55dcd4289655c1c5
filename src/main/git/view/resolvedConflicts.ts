import { ToolError } from '../../../shared/errors.ts'
import { decodeGitText, encodeGitText } from '../gitText.ts'
import type { RunGit, RunningAction } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import { requireGit } from './gitFailures.ts'
import { literalPaths } from './pathsInput.ts'

/** The versions of a file in conflict, as lines of `git ls-files --stage`. */
interface Resolved {
  stages: string[]
  /** Checkpoint of the working file; null if the user edited it. */
  backup: number | null
}

/** Remembers conflicts that the user resolved, so that this can be undone. */
export interface ResolvedConflicts {
  /** Remembers the conflicts of these files before they are resolved. */
  remember(
    found: FoundRepository,
    paths: readonly string[],
    running: RunningAction,
    backup?: number | null,
  ): Promise<void>
  /**
   * Returns files to their conflict.
   * @returns the checkpoints of their working files
   * @throws ToolError `not_found` if a conflict is not known
   */
  restore(found: FoundRepository, paths: readonly string[], git: RunGit): Promise<number[]>
}

/** Maximum number of remembered files. */
const maxRemembered = 1000

export function createResolvedConflicts(): ResolvedConflicts {
  const resolved = new Map<string, Resolved>()
  const keyOf = ({ id }: FoundRepository, path: string) => `${id}\0${path}`
  return {
    async remember(found, paths, { act }, backup = null) {
      const args = ['ls-files', '--unmerged', '-z', '--', ...paths.map((path) => `./${path}`)]
      if (paths.length > maxRemembered || !paths.every((path) => path.isWellFormed())) return
      const { output } = requireGit('Reading the conflict', await act(args, { env: literalPaths }))
      const stages = Map.groupBy(
        decodeGitText(output)
          .split('\0')
          .filter((line) => line !== ''),
        (line) => line.slice(line.indexOf('\t') + 1),
      )
      for (const [path, lines] of stages) resolved.set(keyOf(found, path), { stages: lines, backup })
      for (const oldest of resolved.keys()) {
        if (resolved.size <= maxRemembered) break
        resolved.delete(oldest)
      }
    },
    async restore(found, paths, git) {
      const entries = paths.map((path) => {
        const entry = resolved.get(keyOf(found, path))
        if (!entry)
          throw new ToolError(
            'not_found',
            `The conflict in "${path.toWellFormed()}" is no longer known.`,
            'Abort the merge and start it again.',
          )
        return { path, ...entry }
      })
      // Mode 0 removes the resolved entry first (git-update-index(1)).
      const lines = entries.flatMap(({ path, stages }) => {
        const digits = stages[0]?.split(' ')[1]?.length ?? 0
        return [`0 ${'0'.repeat(digits)}\t${path}`, ...stages]
      })
      const input = encodeGitText(lines.map((line) => `${line}\0`).join(''))
      await git('Restoring the conflict', ['update-index', '-z', '--index-info'], undefined, { input })
      for (const path of paths) resolved.delete(keyOf(found, path))
      return entries.flatMap(({ backup }) => backup ?? [])
    },
  }
}
