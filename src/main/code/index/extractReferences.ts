import type { Node } from 'web-tree-sitter'
import { unquotedName, type Definition } from './definition.ts'
import { captureBits, captureOf, captureOfKind, type Match } from './queryMatches.ts'
import { findLocalVariables, selfNames, type Locals, innermostInterval } from './localVariables.ts'
import type { Extraction, FoundLink, FoundReference } from './symbolTypes.ts'

const maxReceiverLength = 120

/** Extracts references to symbols, and the names that a file imports or exports. */
export function extractReferences(
  matches: readonly Match[],
  definitions: readonly Definition[],
): Pick<Extraction, 'references' | 'links'> {
  const definitionOffsets = new Set(definitions.map(({ name }) => name.startIndex))
  const locals = findLocalVariables(matches, definitionOffsets)
  const found = new Map<number, FoundReference>()
  // Keyed by content, because a pattern can match the same nodes twice.
  const links = new Map<string, FoundLink>()
  const enclosingDefinition = innermostInterval(
    definitions.map(({ node, last }) => ({ start: node.startIndex, end: last.endIndex })),
  )
  for (const match of matches) {
    if ((match.bits & captureBits.link) !== 0) {
      const link = parseLink(match)
      if (link) links.set(JSON.stringify(link), link)
    }
    const referenceCapture = captureOfKind(match, captureBits.reference)
    const name = referenceCapture && captureOf(match, 'name')
    if (!name || definitionOffsets.has(name.startIndex)) continue
    const receiver = captureOf(match, 'receiver')?.node ?? null
    const nameText = name.text
    if (!receiver && locals.has(nameText, name.startIndex)) continue
    const { kind } = referenceCapture.captureName
    if (!isReferenceKind(kind)) throw new Error(`The tag query has an unknown kind of reference: ${kind}.`)
    const before = found.get(name.startIndex)
    // More specific kinds take precedence over `usage`.
    if (before && (kind === 'usage' || before.kind !== 'usage')) continue
    const root = receiver ? receiverText(receiver) : undefined
    const shadowed = root !== undefined && !selfNames.has(root) && locals.has(root, name.startIndex)
    found.set(name.startIndex, {
      kind,
      name: unquotedName(nameText),
      // Parentheses mark a receiver shadowed by a local variable, so that it is not mistaken for a module of that
      // name.
      receiver:
        root === undefined
          ? null
          : shadowed
            ? `(${root.slice(0, maxReceiverLength)})`
            : root.slice(0, maxReceiverLength),
      origin: receiver && receiverOrigin(receiver, locals),
      line: name.row + 1,
      column: name.column + 1,
      from: enclosingDefinition(name.startIndex),
    })
  }
  return {
    references: inOrder(found),
    links: [...links.values()],
  }
}

function inOrder(found: ReadonlyMap<number, FoundReference>): FoundReference[] {
  const references: FoundReference[] = []
  for (const offset of Uint32Array.from(found.keys()).sort()) {
    const reference = found.get(offset)
    if (reference) references.push(reference)
  }
  return references
}

/**
 * Returns the receiver on one line. Dart's tree represents a call chain as siblings, of which the last is the
 * receiver.
 */
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

/** Returns the origin of a receiver; null if it is unknown or too long. */
function receiverOrigin(receiver: Node, locals: Locals): string | null {
  const origin = locals.origin(receiver)
  return origin === null || origin.length > maxReceiverLength ? null : origin
}

function isReferenceKind(kind: string): kind is FoundReference['kind'] {
  return kind === 'call' || kind === 'extends' || kind === 'implements' || kind === 'usage'
}

function parseLink(match: Match): FoundLink | null {
  const text = (name: string): string | undefined => captureOf(match, name)?.text
  const { captures } = match
  const [place] = captures
  if (!place) return null
  const at = { line: place.row + 1, column: place.column + 1 }
  const parts = captures.filter(({ name }) => name === 'import.source').map((capture) => capture.text)
  const source = parts.length > 0 ? parts.join('.') : text('import.string')?.slice(1, -1)
  if (text('export.all') !== undefined && source !== undefined)
    return { kind: 'export', local: '*', original: '*', source, ...at }
  const namespaceExport = text('export.namespace')
  if (namespaceExport !== undefined && source !== undefined)
    return { kind: 'export', local: namespaceExport, original: '*', source, ...at }
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
  const namespaceImport = text('import.namespace')
  if (namespaceImport !== undefined)
    return { kind: 'import', local: goPackageName(namespaceImport), original: '*', source, ...at }
  const defaultImport = text('import.default')
  if (defaultImport !== undefined) return { kind: 'import', local: defaultImport, original: 'default', source, ...at }
  const name = text('import.name')
  if (name !== undefined) return { kind: 'import', local: text('import.alias') ?? name, original: name, source, ...at }
  return text('import.all') === undefined ? null : { kind: 'import', local: '*', original: '*', source, ...at }
}

/**
 * Returns the default package name of a Go import: `mux` for `github.com/gorilla/mux/v2`, `yaml` for
 * `gopkg.in/yaml.v3`.
 */
function goPackageName(path: string): string {
  return path.includes('/') ? path.replace(/(?:\/v\d+|\.v\d+)$/, '').replace(/^.*\//, '') : path
}
