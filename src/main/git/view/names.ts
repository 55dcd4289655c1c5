import { ToolError } from '../../../shared/errors.ts'
import { encodeGitText } from '../gitText.ts'

/**
 * Returns the name of a commit, branch, tag or remote as a git argument.
 * @throws ToolError `invalid_arguments` for text that git would read as an option or as several arguments
 */
export function commitArgument(name: string): string {
  if (/^-|[\0\n]/.test(name) || name.trim() === '' || !name.isWellFormed())
    throw new ToolError('invalid_arguments', `"${name}" is not a name that git accepts.`, 'Choose another name.')
  return name
}

/**
 * Returns a path as a git argument.
 * @throws ToolError `invalid_path` if its bytes cannot be passed as an argument
 */
export function pathArgument(path: string): string {
  if (!path.isWellFormed() || path.includes('\0'))
    throw new ToolError('invalid_path', `The name of "${path}" is not valid UTF-8.`, 'Rename the file first.')
  return path
}

/** Options of git for a run without hooks. */
export const withoutHooks = ['-c', 'core.hooksPath=/dev/null']

/** Arguments for a list of paths on standard input. Names can have any bytes, and the list any length. */
export const pathsFromInput = ['--pathspec-from-file=-', '--pathspec-file-nul']

/**
 * Treats names literally, not as patterns. Only set when paths are passed, because hooks inherit it and may use
 * patterns.
 */
export const literalPaths = { GIT_LITERAL_PATHSPECS: '1' }

/** Returns the options for a run with `pathsFromInput`. */
export function pathsInput(paths: readonly string[]): { input: Buffer; env: Record<string, string> } {
  return { input: encodeGitText(paths.map((path) => `${path}\0`).join('')), env: literalPaths }
}
