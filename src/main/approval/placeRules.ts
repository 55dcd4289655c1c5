import { once } from '../../shared/async/once.ts'
import { matchesName, parseNamePattern, type NamePattern } from '../base/wildcard.ts'
import { foldName, namesOf } from './placeNames.ts'
import {
  protectedKinds,
  protectedPlaces,
  secretKinds,
  secretPlaces,
  type Patterns,
  type ProtectedKind,
  type SecretKind,
} from './protectedPlaces.ts'

/** Why a path needs approval: a sentence without a period. */
export type ProtectionReason = string

/** Decides by name which paths need approval in every mode. Callers resolve links. */
export interface PlaceRules {
  /** Why writing to a path needs approval; undefined if it needs none. */
  protection(path: string): ProtectionReason | undefined
  /** Why reading a path needs approval; undefined if it needs none. */
  secret(path: string): ProtectionReason | undefined
  /** The user's patterns in these rules. */
  readonly added: AddedPlaces
}

/** Patterns that the user adds, one per line. They can only add places. */
export interface AddedPlaces {
  protected: string
  secret: string
}

/** Returns the rules for the user's current additions. Compiles them again only after a change. */
export function currentPlaceRules(added: () => AddedPlaces): () => PlaceRules {
  let last = added()
  let rules = createPlaceRules(last)
  return () => {
    const now = added()
    if (now.protected !== last.protected || now.secret !== last.secret) {
      rules = createPlaceRules(now)
      last = now
    }
    return rules
  }
}

const addedWhy = 'Your settings protect it'

/** The rules without user patterns, as most users have them. */
let shipped: PlaceRules | undefined

/** Returns the rules for the shipped places and the user's own. */
export function createPlaceRules(added: AddedPlaces = { protected: '', secret: '' }): PlaceRules {
  if (added.protected !== '' || added.secret !== '') return compilePlaceRules(added)
  return (shipped ??= compilePlaceRules(added))
}

/** The shipped rules, without the places that the user adds in the settings. */
export const shippedPlaceRules = createPlaceRules()

function compilePlaceRules(added: AddedPlaces): PlaceRules {
  const kinds = Object.keys(protectedPlaces) as ProtectedKind[]
  const secretNames = Object.keys(secretPlaces) as SecretKind[]
  const protection = once(() =>
    compile([
      ...kinds.map((kind) => ({ patterns: words(protectedPlaces[kind]), why: protectedKinds[kind] })),
      { patterns: lines(added.protected), why: addedWhy },
    ]),
  )
  const secret = once(() =>
    compile([
      ...secretNames.map((kind) => ({
        patterns: words(secretPlaces[kind].patterns),
        except: words(secretPlaces[kind].except ?? ''),
        why: secretKinds[kind],
      })),
      { patterns: lines(added.secret), why: addedWhy },
    ]),
  )
  return { protection: (path) => protection()(path), secret: (path) => secret()(path), added }
}

const words = (patterns: Patterns): string[] => patterns.split(' ').filter((pattern) => pattern !== '')

/** Returns the patterns of a setting. Lines that start with `#` are comments. */
function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^(?:\.?\/)+/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
}

interface Group {
  patterns: readonly string[]
  except?: readonly string[]
  why: ProtectionReason
}

interface Pattern {
  /** Names, or patterns for names with wildcards. Matching starts with the last one. */
  names: readonly (string | NamePattern)[]
  folder: boolean
  why: ProtectionReason
  except?: (name: string) => boolean
}

/** Compiles patterns. Most paths then need only one lookup per name. */
function compile(groups: readonly Group[]): (path: string) => ProtectionReason | undefined {
  const exact = new Map<string, Pattern[]>()
  const wild: Pattern[] = []
  for (const { patterns, except = [], why } of groups) {
    const exceptions = except.map(nameTest)
    const isException = (name: string) => exceptions.some((test) => matches(test, name))
    for (const text of patterns) {
      const folder = text.endsWith('/')
      const names = text
        .split('/')
        .filter((name) => name !== '')
        .map(nameTest)
      const last = names.at(-1)
      if (last === undefined) continue
      const pattern = { names, folder, why, except: exceptions.length > 0 && !folder ? isException : undefined }
      if (typeof last === 'string') exact.set(last, [...(exact.get(last) ?? []), pattern])
      else wild.push(pattern)
    }
  }

  return (path) => {
    const names = namesOf(path)
    const end = names.length - 1
    for (const [at, name] of names.entries()) {
      const found = exact.get(name)?.find((pattern) => applies(pattern, names, at, end))
      if (found) return found.why
      const other = wild.find((pattern) => (pattern.folder || at === end) && applies(pattern, names, at, end))
      if (other) return other.why
    }
    return undefined
  }
}

/**
 * Whether a pattern matches the names of a path that end at index `at`. A pattern for files matches only at the last
 * name, `end`.
 */
function applies(
  { names: wanted, folder, except }: Pattern,
  names: readonly string[],
  at: number,
  end: number,
): boolean {
  if (!folder && at !== end) return false
  const start = at - wanted.length + 1
  return (
    start >= 0 &&
    wanted.every((test, index) => matches(test, names[start + index] ?? '')) &&
    except?.(names[at] ?? '') !== true
  )
}

function matches(test: string | NamePattern, name: string): boolean {
  return typeof test === 'string' ? test === name : matchesName(test, name)
}

function nameTest(pattern: string): string | NamePattern {
  const name = foldName(pattern)
  if (!name.includes('*')) return name
  return parseNamePattern(name) ?? name
}
