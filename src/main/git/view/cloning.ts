import { stat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { runGitProcess } from '../gitProcess.ts'
import { userEnvironment } from './gitAccess.ts'
import { requireGit } from './gitFailures.ts'
import type { Operations } from './operations.ts'
import { trimEndCharacters } from '../../../shared/text/trimEnd.ts'

export interface CloneRequest {
  url: string
  /** Absolute folder in which the new one is created. */
  folder: string
  /** Name of the new folder. Default: derived from the URL. */
  name?: string | undefined
}

/** Clones a repository with the user's configuration. @returns the absolute path of the new folder */
export async function cloneRepository(
  operations: Operations,
  operation: string,
  { url, folder, name }: CloneRequest,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const address = url.trim()
  if (address === '' || /^-|[\0\n\r]/.test(address))
    throw new ToolError(
      'invalid_arguments',
      `"${url}" is not a repository address.`,
      'Enter an address such as https://example.org/project.git.',
    )
  if (!path.isAbsolute(folder))
    throw new ToolError(
      'invalid_path',
      `"${folder}" is not the full path of a folder.`,
      'Enter an absolute path, such as /home/ada/code.',
    )
  const target = path.join(folder, name?.trim() || nameOf(address))
  if (path.dirname(target) !== path.resolve(folder))
    throw new ToolError(
      'invalid_path',
      `"${path.relative(folder, target) || '.'}" is not a valid folder name.`,
      'Enter a name without slashes.',
    )
  if (await exists(target))
    throw new ToolError('already_exists', `"${target}" already exists.`, 'Choose another folder or name.')
  return operations.run(operation, async ({ signal, onErrors, env }) => {
    const result = await runGitProcess({
      args: ['clone', '--progress', '--', address, target],
      folder,
      env: { ...userEnvironment(environment), ...env },
      maxBytes: 1024 * 1024,
      onErrors,
      group: true,
      signal,
    })
    requireGit('The repository could not be cloned.', result)
    return target
  })
}

/** Creates a repository in a folder. @throws ToolError `already_exists` */
export async function initializeRepository(
  folder: string,
  signal: AbortSignal,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if (await exists(path.join(folder, '.git')))
    throw new ToolError('already_exists', 'The folder already has a repository.', 'Refresh the list of repositories.')
  const env = userEnvironment(environment)
  requireGit(
    'The repository could not be created.',
    await runGitProcess({ args: ['init', '--quiet'], folder, env, maxBytes: 1024 * 1024, signal }),
  )
}

/** Returns the last part of a URL without `.git`, as git does. */
function nameOf(address: string): string {
  const last = trimEndCharacters(address, '\\/')
    .replace(/\/?\.git$/, '')
    .split(/[\\/:]/)
    .at(-1)
  return last || 'repository'
}

async function exists(target: string): Promise<boolean> {
  try {
    await stat(target)
    return true
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return false
  }
}
