import type { Node } from 'web-tree-sitter'
import { parseNamedType } from './declaredType.ts'
import { captureBits, captureOf, type Capture, type Match } from './queryMatches.ts'

/** Parameters and local variables of a text. */
export interface Locals {
  /** Whether a name refers to a local at an offset. */
  has(name: string, offset: number): boolean
  /**
   * Describes where the value of an expression comes from, without local names: `:Type` or `:module/Type` if its type
   * is declared, otherwise a name with `.member` for members and `()` for calls. Null if unknown.
   */
  origin(expression: Node): string | null
}

interface Local extends Interval {
  /** Type or initial value; null if unknown. */
  source: { type: string } | { value: Capture } | null
  /** Member that destructuring reads from the value, as `.name`; '' without destructuring. */
  members: string
  /** Whether its scope assigns the name more than once. */
  conflicting: boolean
}

const maxDepth = 6
/** Names of the current object. In some languages they are parameters, but their type is known. */
export const selfNames: ReadonlySet<string> = new Set(['self', 'cls', 'this', 'Self', '$this'])

/** @param definitionOffsets offsets of definition names, which are not locals */
export function findLocalVariables(matches: readonly Match[], definitionOffsets: ReadonlySet<number>): Locals {
  // Scopes by offset. Requesting each parent from the tree would walk it from the root every time.
  const scopes: Interval[] = []
  for (const match of matches) {
    if ((match.bits & captureBits.scope) === 0) continue
    for (let index = 0; index < match.count; index++) {
      if (match.nameOf(index).bits !== captureBits.scope) continue
      const { startIndex, endIndex } = match.capture(index)
      scopes.push({ start: startIndex, end: endIndex })
    }
  }
  scopes.sort((a, b) => a.start - b.start || b.end - a.end)
  const scopeAt = innermostInterval(scopes)
  const locals = new Map<string, Local[]>()
  const byPlace = new Map<number, Local>()

  for (const match of matches) {
    if ((match.bits & captureBits.local) === 0) continue
    for (let nth = 0; nth < match.count; nth++) {
      if (match.nameOf(nth).bits !== captureBits.local) continue
      const capture = match.capture(nth)
      if (definitionOffsets.has(capture.startIndex)) continue
      const index = scopeAt(capture.startIndex)
      const scope = index === null ? undefined : scopes[index]
      // Without a scope, the name belongs to the file and can be imported elsewhere.
      if (!scope) continue
      const known = byPlace.get(capture.startIndex)
      if (known) {
        const source = sourceOf(match)
        // Declarations take precedence over assignments.
        if (source && (!known.source || 'type' in source)) known.source = source
        known.members ||= membersOf(match, capture)
        continue
      }
      const { start, end } = scope
      const local: Local = {
        start,
        end,
        source: sourceOf(match),
        members: membersOf(match, capture),
        conflicting: false,
      }
      byPlace.set(capture.startIndex, local)
      const localName = capture.text
      const others = locals.get(localName)
      if (others) {
        // A name assigned in several places of a scope can have any of these values.
        for (const other of others)
          if (other.start === start && other.end === end) other.conflicting = local.conflicting = true
        others.push(local)
      } else locals.set(localName, [local])
    }
  }

  /** Returns the local in the innermost scope. */
  function localAt(name: string, offset: number): Local | undefined {
    let found: Local | undefined
    for (const local of locals.get(name) ?? []) {
      if (local.start <= offset && offset < local.end && (!found || local.start > found.start || local.end < found.end))
        found = local
    }
    return found
  }

  function origin(expression: Node, depth = 0): string | null {
    const path = expressionPath(expression)
    if (path === null || depth > maxDepth) return null
    const root = /^[^.()]+/.exec(path)?.[0] ?? ''
    const local = path.startsWith(':') || selfNames.has(root) ? undefined : localAt(root, expression.startIndex)
    if (!local) return path
    if (!local.source || local.conflicting) return null
    const prefix = 'type' in local.source ? local.source.type : origin(local.source.value.node, depth + 1)
    return prefix === null ? null : `${prefix}${local.members}${path.slice(root.length)}`
  }

  return { has: (name, offset) => localAt(name, offset) !== undefined, origin }
}

function sourceOf(match: Match): Local['source'] {
  for (let index = 0; index < match.count; index++) {
    const { name } = match.nameOf(index)
    if (name === 'local.type') {
      const type = parseNamedType(match.capture(index).text)
      return type === null ? null : { type: typePath(type) }
    }
    if (name === 'local.value') return { value: match.capture(index) }
  }
  return null
}

/** Both `{ a }` and `{ a: b }` read the member `.a`. */
function membersOf(match: Match, local: Capture): string {
  if (!captureOf(match, 'local.member')) return ''
  return `.${(captureOf(match, 'local.key') ?? local).text}`
}

const typePath = (type: string): string => `:${type.replaceAll('.', '/')}`

/** Field names of member access nodes by node type: object, then member. */
const memberFields: Readonly<Record<string, readonly [string, string]>> = {
  member_expression: ['object', 'property'],
  attribute: ['object', 'attribute'],
  field_expression: ['value', 'field'],
  field_access: ['object', 'field'],
  selector_expression: ['operand', 'field'],
  scoped_identifier: ['path', 'name'],
}
const transparentNodeTypes = new Set(['await_expression', 'await', 'parenthesized_expression', 'non_null_expression'])

/** Returns the path of a list's only expression. */
function onlyChildPath(list: Node): string | null {
  const child = list.namedChildCount === 1 ? list.namedChild(0) : null
  return child && expressionPath(child)
}

/** Returns an expression as a path of names, members and calls; null for other expressions. */
function expressionPath(node: Node): string | null {
  const fields = memberFields[node.type]
  if (fields) {
    const object = node.childForFieldName(fields[0])
    const prefix = object && expressionPath(object)
    return prefix ? `${prefix}.${node.childForFieldName(fields[1])?.text}` : null
  }
  if (transparentNodeTypes.has(node.type)) {
    const inner = node.namedChild(0)
    return inner && expressionPath(inner)
  }
  switch (node.type) {
    case 'identifier':
    case 'this':
    case 'super':
    case 'self':
    case 'type_identifier':
      return node.text
    case 'call_expression':
    case 'call': {
      const called = node.childForFieldName('function')
      const prefix = called && expressionPath(called)
      return prefix ? `${prefix}()` : null
    }
    case 'expression_list':
      return onlyChildPath(node)
    case 'object_creation_expression':
    case 'new_expression': {
      const constructor = node.childForFieldName('constructor') ?? node.childForFieldName('type')
      const type = constructor && parseNamedType(constructor.text)
      return type ? typePath(type) : null
    }
    case 'as_expression': {
      const type = parseNamedType(node.namedChild(1)?.text ?? '')
      return type === null ? null : typePath(type)
    }
    default:
      return null
  }
}

/** A range of text offsets with an exclusive end. */
interface Interval {
  start: number
  end: number
}

/**
 * Returns a function that finds the index of the innermost interval around an offset, or null.
 * @param intervals sorted so that outer intervals precede inner ones
 */
export function innermostInterval(intervals: readonly Interval[]): (offset: number) => number | null {
  const parents: number[] = []
  const open: number[] = []
  for (const [index, { end }] of intervals.entries()) {
    while (open.length > 0 && (intervals[open.at(-1) ?? 0]?.end ?? 0) < end) open.pop()
    parents.push(open.at(-1) ?? -1)
    open.push(index)
  }
  return (offset) => {
    let low = 0
    let high = intervals.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((intervals[middle]?.start ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    let index = low - 1
    while (index >= 0 && (intervals[index]?.end ?? 0) <= offset) index = parents[index] ?? -1
    return index < 0 ? null : index
  }
}
