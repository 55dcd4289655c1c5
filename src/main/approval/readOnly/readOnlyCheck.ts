import path from 'node:path'
import type { ArgumentLookup } from '../commandPlaces.ts'
import type { PlaceRules } from '../placeRules.ts'
import type { Argument } from './optionSpec.ts'
import { readOnlyForm, type ReadOnlyForm } from './readOnlyForm.ts'

/** Whether a command only reads files of the workspace that are not secret. */
export type ReadOnlyMatch = { covered: true; rule: string } | { covered: false; why: string }

/** Finds the programs of commands. */
export interface ProgramLookup {
  /** Returns why a program on PATH cannot be trusted: it is a file of the workspace, or could be replaced by one. */
  unsafePath(name: string): Promise<string | undefined>
  /** Returns the path of a program's file with links resolved. */
  realFile(name: string): Promise<string | undefined>
  /**
   * Whether git considers a folder a repository that is entirely inside it.
   * @param gitFolder `.git`, relative to the workspace
   */
  isRepository(gitFolder: string): Promise<boolean>
  /**
   * Whether git may start a program when it reads a repository: a program named by the repository's configuration,
   * hooks or submodules, or a program of the workspace named by the user's configuration.
   * @param gitFolder its `.git`, relative to the workspace
   */
  startsConfigured(gitFolder: string): Promise<boolean>
}

export interface ReadOnlyContext {
  /** Relative to the workspace. */
  cwd: string
  rules: Pick<PlaceRules, 'secret'>
  lookup: ArgumentLookup
  programs: ProgramLookup
  /** Whether the sandbox makes secret files appear empty. */
  masked: boolean
}

/** Maximum number of possible working folders after several `cd`. */
const maxFolders = 8

/**
 * Checks the commands of a parsed line. A command after `cd` is checked for every folder in which it can run, because
 * the `cd` may fail, or run in a pipe.
 */
export async function checkReadOnly(
  commands: readonly string[][],
  context: ReadOnlyContext,
): Promise<readonly ReadOnlyMatch[]> {
  const folders = new Set([context.cwd])
  const matches: ReadOnlyMatch[] = []
  let lost = false
  for (const words of commands) {
    const match = lost
      ? { covered: false as const, why: 'The folder that it runs in is uncertain.' }
      : await checkOne(words, folders, context)
    matches.push(match)
    // A user rule may still allow this `cd`, so later commands run in an unknown folder.
    if (!match.covered && changesFolder.test(words[0] ?? '')) lost = true
  }
  return matches
}

const changesFolder = /^(?:cd|pushd|popd)$/

/** @param folders folders in which the command can run; a `cd` adds its target */
async function checkOne(
  words: readonly string[],
  folders: Set<string>,
  context: ReadOnlyContext,
): Promise<ReadOnlyMatch> {
  const form = readOnlyForm(words)
  if ('why' in form) return { covered: false, why: form.why }
  const why =
    (await programProblem(form, words[0] ?? '', context)) ?? (await placesProblem(form, [...folders], context))
  if (why !== undefined) return { covered: false, why }
  if (form.enters !== undefined && !(await enter(form.enters, folders, context.lookup)))
    return { covered: false, why: `The folder that \`cd ${form.enters}\` enters is uncertain.` }
  if (form.repository && (await startsConfigured([...folders], context)))
    return { covered: false, why: 'git may start a program that the configuration of the repository names' }
  return { covered: true, rule: form.rule }
}

async function startsConfigured(
  folders: readonly string[],
  context: Pick<ReadOnlyContext, 'lookup' | 'programs'>,
): Promise<boolean> {
  for (const folder of folders) {
    const gitFolder = await findRepository(folder, context)
    if (gitFolder === undefined || (await context.programs.startsConfigured(gitFolder))) return true
  }
  return false
}

async function programProblem(
  form: ReadOnlyForm,
  program: string,
  { programs }: ReadOnlyContext,
): Promise<string | undefined> {
  if (form.builtin) return undefined
  const unsafe = await programs.unsafePath(program)
  if (unsafe !== undefined) return unsafe
  if (!form.version) return undefined
  const file = await programs.realFile(program)
  const own = file !== undefined && path.basename(file).includes(program) && !/[\\/](?:shims|corepack)[\\/]/.test(file)
  return own
    ? undefined
    : `\`${program}\` is started by a version manager, which follows configuration files in the folder.`
}

async function placesProblem(
  { paths, recursive, repository }: ReadOnlyForm,
  folders: readonly string[],
  context: ReadOnlyContext,
): Promise<string | undefined> {
  for (const folder of folders) {
    for (const argument of paths) {
      const problem = await pathProblem(argument, folder, context)
      if (problem !== undefined) return problem
    }
    if (repository && (await findRepository(folder, context)) === undefined)
      return 'The git repository is not in the workspace.'
    if (recursive && !context.masked) {
      const problem = await recursiveProblem(paths, folder, context)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** Path arguments that do not name a file of the workspace. */
const noFiles = new Set(['-', '/dev/null'])

async function pathProblem(
  { kind, value }: Argument,
  folder: string,
  { rules, lookup }: ReadOnlyContext,
): Promise<string | undefined> {
  if (noFiles.has(value)) return undefined
  // Git reads `HEAD:file` and `:file` from its history.
  const names = kind === 'revision' ? [value, ...value.split(':').slice(1).filter(Boolean)] : [value]
  for (const name of names) {
    const place = await lookup.resolve(folder, name)
    if (place.ownData || place.relative === undefined) return `\`${value}\` leads out of the workspace.`
    const secret = rules.secret(name) ?? rules.secret(place.relative)
    if (secret !== undefined) return `\`${value}\` is a secret file.`
    if (kind === 'file' && place.directory) return `\`${value}\` is a folder.`
  }
  return undefined
}

/** A recursive command also reads the secret files below its folders. */
async function recursiveProblem(
  paths: readonly Argument[],
  folder: string,
  { rules, lookup }: ReadOnlyContext,
): Promise<string | undefined> {
  const named = await Promise.all(paths.map(({ value }) => lookup.resolve(folder, value)))
  // A revision is not a path, so git then searches the whole folder.
  const starts = named.some(({ exists }) => exists) ? named : [await lookup.resolve(folder, '.')]
  for (const place of starts) {
    if (place.relative === undefined || !place.directory) continue
    const found = await lookup.findBelow(place.relative, (file) => rules.secret(file) !== undefined)
    if (found !== undefined) return `It also reads the secret file ${found}.`
  }
  return undefined
}

/**
 * Returns the repository that git uses, if it is in the workspace: a folder `.git` in the working folder or above it.
 * None if git first finds a repository without `.git`: a clone can contain one, and its configuration can start
 * programs. None if that folder is damaged, because git then uses the one above.
 */
async function findRepository(
  folder: string,
  { lookup, programs }: Pick<ReadOnlyContext, 'lookup' | 'programs'>,
): Promise<string | undefined> {
  for (let at = folder; ; at = path.posix.dirname(at)) {
    const place = await lookup.resolve(at, '.git')
    const gitFolder = path.posix.join(at, '.git')
    if (place.exists) {
      const isFolder = place.relative === gitFolder && place.directory
      return isFolder && (await programs.isRepository(gitFolder)) ? gitFolder : undefined
    }
    if (await isBareRepository(at, lookup)) return undefined
    if (at === '.' || at === '') return undefined
  }
}

/**
 * Whether git may consider a folder a repository (is_git_directory in its setup.c). Ignores HEAD, which can be a broken
 * link.
 */
async function isBareRepository(folder: string, lookup: ArgumentLookup): Promise<boolean> {
  const has = async (name: string) => (await lookup.resolve(folder, name)).exists
  return (await has('commondir')) || ((await has('objects')) && (await has('refs')))
}

/**
 * Adds the folders that `cd` enters.
 * @returns false for a folder behind a link, where the shell and its programs read `..` differently, and for too many
 * folders
 */
async function enter(target: string, folders: Set<string>, lookup: ArgumentLookup): Promise<boolean> {
  // A copy, because the loop adds folders.
  for (const folder of Array.from(folders)) {
    const { relative, directory } = await lookup.resolve(folder, target)
    if (relative === undefined || !directory) continue
    const byName = path.posix.normalize(path.posix.join(folder, target)).replace(/(.)\/$/, '$1')
    if (relative !== byName) return false
    folders.add(relative)
  }
  return folders.size <= maxFolders
}
