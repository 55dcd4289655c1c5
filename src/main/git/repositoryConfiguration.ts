import path from 'node:path'
import { asSentence } from '../base/asSentence.ts'
import { ToolError } from '../../shared/errors.ts'
import { resolveInside, type GitPlaces } from './repositoryContainment.ts'
import { runGit } from './runGit.ts'

export interface RepositoryConfiguration {
  /** Names of all configured filter drivers. */
  filters: string[]
  /** Settings that disable filters, configured hooks, and files outside the workspace. */
  config: Record<string, string>
  /** Absolute path from `core.worktree`. */
  workTree?: string
}

/** Repository settings that name a file for git to read. */
const fileSettings = new Set(['core.attributesfile', 'core.excludesfile', 'diff.orderfile', 'mailmap.file'])

/**
 * Reads a repository's configuration without starting programs named in it.
 * @throws ToolError `outside_workspace` if the repository's own configuration includes a file outside the workspace
 */
export async function readConfiguration(
  workspace: GitPlaces,
  { gitDir, workTree }: { gitDir: string; workTree: string },
  signal: AbortSignal,
): Promise<RepositoryConfiguration> {
  const result: RepositoryConfiguration = { filters: [], config: {} }
  const settings = await listSettings(gitDir, workTree, signal)
  for (const { scope, origin, key, value } of settings) {
    if (key === 'core.worktree') result.workTree = path.resolve(gitDir, value)
    if (scope !== 'local' && scope !== 'worktree') continue
    const file = /^file:(.*)$/s.exec(origin)?.[1]
    if (file !== undefined)
      await resolveInside(
        workspace,
        path.resolve(workTree, file),
        'A file that the repository configuration includes is outside the workspace.',
      )
    if (fileSettings.has(key) && !(await isInside(workspace, workTree, value))) result.config[key] = '/dev/null'
  }
  Object.assign(result.config, withoutPrograms(settings))
  return { ...result, filters: [...namesIn(settings, filterKey)] }
}

/** Returns configuration that disables all filters and configured hooks of a repository, wherever it is. */
export async function disabledPrograms(
  { gitDir, workTree }: { gitDir: string; workTree: string },
  signal: AbortSignal,
): Promise<Record<string, string>> {
  return withoutPrograms(await listSettings(gitDir, workTree, signal))
}

const filterKey = /^filter\.(.+)\.[^.]+$/s
/** Since version 2.54, git runs hooks named in the configuration, whatever `core.hooksPath` is. */
const hookKey = /^hook\.(.+)\.[^.]+$/s

function namesIn(settings: readonly Setting[], pattern: RegExp): Set<string> {
  return new Set(settings.flatMap(({ key }) => pattern.exec(key)?.[1] ?? []))
}

function withoutPrograms(settings: readonly Setting[]): Record<string, string> {
  const filters = [...namesIn(settings, filterKey)].flatMap((filter) => [
    [`filter.${filter}.clean`, ''],
    [`filter.${filter}.smudge`, ''],
    [`filter.${filter}.process`, ''],
    [`filter.${filter}.required`, 'false'],
  ])
  // An empty event removes the hook from all events.
  const hooks = [...namesIn(settings, hookKey)].flatMap((hook) => [
    [`hook.${hook}.event`, ''],
    [`hook.${hook}.enabled`, 'false'],
  ])
  return Object.fromEntries([...filters, ...hooks])
}

async function isInside(workspace: GitPlaces, workTree: string, file: string): Promise<boolean> {
  try {
    await workspace.resolve(file.startsWith('~/') ? file : path.resolve(workTree, file), { missing: 'allow' })
    return true
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

interface Setting {
  scope: string
  /** `file:` and a path, or another source. */
  origin: string
  key: string
  value: string
}

async function listSettings(gitDir: string, workTree: string, signal: AbortSignal): Promise<Setting[]> {
  const { code, stdout, stderr, truncated } = await runGit({
    args: [`--git-dir=${gitDir}`, 'config', '--list', '--show-scope', '--show-origin', '-z'],
    folder: workTree,
    signal,
  })
  // A truncated configuration could hide a filter.
  if (truncated)
    throw new ToolError(
      'too_large',
      'The repository configuration is larger than 1 MiB.',
      'Ask the user to check .git/config.',
    )
  if (code !== 0)
    throw new ToolError(
      'io_error',
      `The repository configuration cannot be read: ${asSentence(stderr)}`,
      'Ask the user to repair it.',
    )
  const fields = stdout.split('\0')
  const settings: Setting[] = []
  for (let at = 0; at + 2 < fields.length; at += 3) {
    // Each setting is a key, or a key, a newline and a value.
    const [key = '', ...value] = (fields[at + 2] ?? '').split('\n')
    settings.push({ scope: fields[at] ?? '', origin: fields[at + 1] ?? '', key, value: value.join('\n') })
  }
  return settings
}
