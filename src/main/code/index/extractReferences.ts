import type { Node, QueryMatch } from 'web-tree-sitter'
import { captured, unquote, type Definition } from './queryCaptures.ts'
import { findLocals, ownObject, type Locals } from './localVariables.ts'
import { innermost } from './intervals.ts'
import type { Extraction, FoundLink, FoundReference } from './symbolTypes.ts'

const longestReceiver = 120

/** Places that name something defined elsewhere, and names that enter or leave the file. */
export function findReferences(
  matches: readonly QueryMatch[],
  definitions: readonly Definition[],
): Pick<Extraction, 'references' | 'links'> {
  const named = new Set(definitions.map(({ name }) => name.startIndex))
  const locals = findLocals(matches, named)
  const found = new Map<number, FoundReference>()
  // By what they say: a pattern may match the same nodes twice.
  const links = new Map<string, FoundLink>()
  const around = innermost(definitions.map(({ node, last }) => ({ start: node.startIndex, end: last.endIndex })))
  for (const match of matches) {
    const link = linkOf(match)
    if (link) links.set(JSON.stringify(link), link)
    const referring = match.captures.find((capture) => capture.name.startsWith('reference.'))
    const name = captured(match, 'name')
    if (!referring || !name || named.has(name.startIndex)) continue
    const receiver = captured(match, 'receiver')
    if (!receiver && locals.has(name.text, name.startIndex)) continue
    const kind = referring.name.slice('reference.'.length)
    if (!isReference(kind)) throw new Error(`The tag query names an unknown kind of reference: ${kind}.`)
    const before = found.get(name.startIndex)
    // A plain use is the least that can be said of a place.
    if (before && (kind === 'usage' || before.kind !== 'usage')) continue
    const root = receiver ? receiverText(receiver) : undefined
    const shadowed = root !== undefined && !ownObject.has(root) && locals.has(root, name.startIndex)
    found.set(name.startIndex, {
      kind,
      name: unquote(name.text),
      // A local variable that is called like a module is not that module.
      receiver:
        root === undefined ? null : shadowed ? `(${root.slice(0, longestReceiver)})` : root.slice(0, longestReceiver),
      origin: receiver && originOf(receiver, locals),
      line: name.startPosition.row + 1,
      column: name.startPosition.column + 1,
      from: around(name.startIndex),
    })
  }
  return {
    references: [...found.entries()].toSorted(([a], [b]) => a - b).map(([, reference]) => reference),
    links: [...links.values()],
  }
}

/** An expression on one line. In Dart's tree a chain of calls is a row of siblings, of which the receiver is the last. */
function receiverText(receiver: Node): string {
  let first = receiver
  while (first.type === 'selector' && first.previousSibling) first = first.previousSibling
  const text =
    first === receiver
      ? receiver.text
      : (receiver.parent?.text.slice(
          first.startIndex - receiver.parent.startIndex,
          receiver.endIndex - receiver.parent.startIndex,
        ) ?? '')
  return text.replace(/\s*\n\s*/g, '')
}

/** Kept where it says more than the receiver's own text, and short enough to be followed. */
function originOf(receiver: Node, locals: Locals): string | null {
  const origin = locals.origin(receiver)
  return origin === null || origin.length > longestReceiver ? null : origin
}

function isReference(kind: string): kind is FoundReference['kind'] {
  return kind === 'call' || kind === 'extends' || kind === 'implements' || kind === 'usage'
}

function linkOf(match: QueryMatch): FoundLink | null {
  if (!match.captures.some(({ name }) => name.startsWith('import.') || name.startsWith('export.'))) return null
  const text = (name: string): string | undefined => captured(match, name)?.text
  const place = match.captures[0]?.node.startPosition
  if (!place) return null
  const at = { line: place.row + 1, column: place.column + 1 }
  const parts = match.captures.filter(({ name }) => name === 'import.source').map(({ node }) => node.text)
  const source = parts.length > 0 ? parts.join('.') : text('import.string')?.slice(1, -1)
  if (text('export.all') !== undefined && source !== undefined)
    return { kind: 'export', local: '*', original: '*', source, ...at }
  const space = text('export.namespace')
  if (space !== undefined && source !== undefined) return { kind: 'export', local: space, original: '*', source, ...at }
  const exported = text('export.name')
  if (exported !== undefined)
    return {
      kind: 'export',
      local: text('export.alias') ?? exported,
      original: exported,
      source: source ?? null,
      ...at,
    }
  const byDefault = text('export.default')
  if (byDefault !== undefined) return { kind: 'export', local: 'default', original: byDefault, source: null, ...at }
  if (source === undefined) return null
  const whole = text('import.namespace')
  if (whole !== undefined) return { kind: 'import', local: lastPart(whole), original: '*', source, ...at }
  const standard = text('import.default')
  if (standard !== undefined) return { kind: 'import', local: standard, original: 'default', source, ...at }
  const name = text('import.name')
  if (name !== undefined) return { kind: 'import', local: text('import.alias') ?? name, original: name, source, ...at }
  return text('import.all') === undefined ? null : { kind: 'import', local: '*', original: '*', source, ...at }
}

/** Go names a package by the last part of its path, `mux` of `github.com/gorilla/mux/v2` and `yaml` of `gopkg.in/yaml.v3`. */
function lastPart(path: string): string {
  return path.includes('/') ? path.replace(/(?:\/v\d+|\.v\d+)$/, '').replace(/^.*\//, '') : path
}
