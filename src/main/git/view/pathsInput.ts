import { encodeGitText } from '../gitText.ts'

/** Arguments for a list of paths on standard input. Names can be any bytes and the list any length. */
export const pathsFromInput = ['--pathspec-from-file=-', '--pathspec-file-nul']

/** Names are not patterns. Set only where paths are passed, because hooks inherit it and may use patterns. */
export const literalPaths = { GIT_LITERAL_PATHSPECS: '1' }

/** Returns the options of a run with `pathsFromInput`. */
export function pathsInput(paths: readonly string[]): { input: Buffer; env: Record<string, string> } {
  return { input: encodeGitText(paths.map((path) => `${path}\0`).join('')), env: literalPaths }
}
