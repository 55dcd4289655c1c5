import { isAbsolute, join } from 'node:path'
import { isCoveredByPrefix, proposePrefix } from './commandPrefix.ts'
import type { PlaceRules } from './placeRules.ts'

/** A file or folder named by an argument of a command. */
export interface ArgumentPlace {
  /** Real path relative to the workspace; undefined outside it. */
  relative?: string
  exists: boolean
  directory: boolean
  /** Whether it belongs to Tizona's own data. */
  ownData?: boolean
}

/** Looks up the arguments of a command in the workspace. */
export interface ArgumentLookup {
  /** @param cwd working folder, relative to the workspace */
  resolve(cwd: string, argument: string): Promise<ArgumentPlace>
  /** Returns a path below a folder that `test` accepts; the folder itself if it has too many entries to check. */
  findBelow(folder: string, test: (path: string) => boolean): Promise<string | undefined>
}

/** Result of checking the paths in a command line. */
export interface CommandPlaces {
  /** Why the line needs approval in every mode: a sentence. Undefined if it does not. */
  reason?: string
  /**
   * Secret files that the commands name, relative to the workspace. An approved command can read them even in the
   * sandbox.
   */
  secrets: readonly string[]
  /** Whether a prefix grant can cover each command. False if an argument leads out of the workspace. */
  coverable: readonly boolean[]
}

/** Results of earlier checks of the commands. */
export interface KnownCommands {
  /** Whether each command has a read-only form and may therefore name protected places. */
  readOnly?: readonly boolean[]
  /** Whether the commands run in a sandbox, where secret files appear empty. */
  masked?: boolean
}

/** Programs that read every file below a folder. */
const recursive = /^(?:grep|egrep|fgrep|rg|ag|ack|tar|zip|cp|rsync|scp|diff|cat|strings|7z)$/
/** Git subcommands that name files without changing or printing them. */
const namesOnly = /^(?:add|rm|status|ls-files|commit|stash|restore|check-ignore)$/

/**
 * Resolves the arguments of parsed commands and finds those that need approval in every mode: secrets, protected places
 * that the command may change, and Tizona's own data.
 */
export async function findCommandPlaces(
  commands: readonly string[][],
  cwd: string,
  rules: PlaceRules,
  lookup: ArgumentLookup,
  known: KnownCommands = {},
): Promise<CommandPlaces> {
  let reason: string | undefined
  const secrets = new Set<string>()
  const coverable: boolean[] = []
  for (const [index, words] of commands.entries()) {
    const found = await examine(words, cwd, rules, lookup, {
      readOnly: known.readOnly?.[index] === true,
      masked: known.masked === true,
    })
    reason ??= found.reason
    for (const secret of found.secrets ?? []) secrets.add(secret)
    coverable.push(found.coverable)
  }
  return { reason, secrets: [...secrets], coverable }
}

async function examine(
  words: readonly string[],
  cwd: string,
  rules: PlaceRules,
  lookup: ArgumentLookup,
  { readOnly, masked }: { readOnly: boolean; masked: boolean },
): Promise<{ reason?: string; secrets?: readonly string[]; coverable: boolean }> {
  const program = words[0] ?? ''
  // These programs only print their arguments.
  if (program === 'echo' || program === 'printf') return { coverable: true }
  const prefix = proposePrefix(words)
  const harmless = readOnly || (prefix !== undefined && isCoveredByPrefix(words, prefix))
  const named = program === 'git' && namesOnly.test(words[1] ?? '')
  let coverable = true
  const secrets = new Map<string, { why: string; inside: boolean }>()
  for (const argument of pathArguments(words).flatMap(possiblePaths)) {
    const place = await lookup.resolve(cwd, argument)
    if (place.ownData)
      return { reason: `The command names ${argument}, which contains Tizona's own data.`, coverable: false }
    if (place.relative === undefined && place.exists) coverable = false
    // Outside the workspace, the name decides, because an earlier `cd` may change the folder.
    const relative = place.relative ?? (isAbsolute(cwd) ? join(cwd, argument) : argument)
    const secret = rules.secret(argument) ?? rules.secret(relative)
    if (secret !== undefined && !named) {
      secrets.set(relative, { why: secret, inside: place.relative !== undefined })
      continue
    }
    const protection = rules.protection(relative)
    if (protection !== undefined && !harmless && !named)
      return { reason: `The command names the protected path ${relative} (${protection}).`, coverable: false }
    if (masked || place.relative === undefined || !place.directory || !recursive.test(program)) continue
    const below = await lookup.findBelow(relative, (found) => rules.secret(found) !== undefined)
    if (below !== undefined) coverable = false
  }
  if (secrets.size > 0) {
    const list = [...secrets].map(([file, { why }]) => `${file} (${why})`)
    return {
      reason:
        list.length === 1
          ? `The command names the secret file ${list.join()}.`
          : `The command names the secret files ${list.join(', ')}.`,
      secrets: [...secrets].flatMap(([file, { inside }]) => (inside ? [file] : [])),
      coverable: false,
    }
  }
  if (!masked && searchesFolder(words) && !(await namesSearchPath(words, cwd, lookup))) {
    const below = await lookup.findBelow(cwd, (found) => rules.secret(found) !== undefined)
    if (below !== undefined) coverable = false
  }
  return { coverable }
}

/** Returns the words that can name files. Excludes the filter of jq, because `.key` looks like a file name. */
function pathArguments(words: readonly string[]): readonly string[] {
  const filter = words[0] === 'jq' ? words.findIndex((word, index) => index > 0 && !word.startsWith('-')) : 0
  return words.filter((_word, index) => index > 0 && index !== filter)
}

/** Whether a command searches its working folder if no argument names a path. */
function searchesFolder(words: readonly string[]): boolean {
  const [program = '', subcommand] = words
  if (program === 'rg' || (program === 'git' && subcommand === 'grep')) return true
  return program === 'grep' && words.some((word) => /^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive$/.test(word))
}

/** Whether an argument after the pattern of a search is an existing path. */
async function namesSearchPath(words: readonly string[], cwd: string, lookup: ArgumentLookup): Promise<boolean> {
  const start = words[0] === 'git' ? 2 : 1
  const plain = words.slice(start).filter((word) => !word.startsWith('-') && !/^\d+$/.test(word))
  for (const word of plain.slice(1)) if ((await lookup.resolve(cwd, word)).exists) return true
  return false
}

/** Returns possible paths in a word: the word, a value after `=`, a letter option or `@`, and the sides of a `:`. */
function possiblePaths(word: string): string[] {
  const values = [word.replace(/^@/, ''), word.slice(word.indexOf('=') + 1).replace(/^@/, '')]
  if (/^-[^-]./.test(word)) values.push(word.slice(2))
  values.push(...word.split(':'))
  return [...new Set(values)].filter((value) => value !== '' && !value.startsWith('-') && !value.includes('\0'))
}
