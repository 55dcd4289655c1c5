import { parseDeclaredValue } from '../index/declaredType.ts'
import type { SymbolRow } from '../index/indexRows.ts'
import { typeKinds, type SymbolKind } from '../index/symbolTypes.ts'

/** The position of a name, from which scopes and imports are followed. */
export interface ReferenceSite {
  file: number
  path: string
  language: string
  /** Innermost enclosing symbol. */
  symbol: number | null
}

/** The value of an expression, as far as it is known without running the code. */
type Value =
  /** The named symbols themselves. */
  | { is: 'named'; rows: SymbolRow[] }
  /** An instance of a type. */
  | { is: 'instance'; types: SymbolRow[] }
  | { is: 'module'; path: string }

/** Lookups of names, modules and members. */
export interface NameLookup {
  /** Returns the symbols that a bare name resolves to; empty if it is not certain. */
  named(name: string, at: ReferenceSite): SymbolRow[]
  /** Returns the module that a bare name refers to. */
  module(name: string, at: ReferenceSite): string | null
  /** Returns the symbols that a module exports under a name. */
  exported(path: string, name: string): SymbolRow[]
  /** Returns the module that another module exports under a name. */
  exportedModule(path: string, name: string): string | null
  /** Returns the members of a type, including inherited ones. */
  member(type: SymbolRow, name: string): SymbolRow[]
  /** Returns the type that encloses a position. */
  enclosingType(at: ReferenceSite): SymbolRow | null
  /** Returns the base types of a type. */
  bases(type: SymbolRow): SymbolRow[]
}

/** Types and aliases of types. */
const typeNameKinds: ReadonlySet<SymbolKind> = new Set([...typeKinds, 'type'])
const callableKinds: ReadonlySet<SymbolKind> = new Set(['function', 'method'])
/** Maximum number of declarations followed. */
const maxDepth = 10

/**
 * Resolves a member access through declared types only: those of parameters, variables, properties and return values.
 * Returns no symbols if any step is undeclared.
 * @param origin the expression, in the format of `Locals.origin`
 */
export function resolveMember(names: NameLookup, origin: string, name: string, at: ReferenceSite): SymbolRow[] {
  return membersOf(names, evaluate(names, origin, at, 0), name)
}

function evaluate(names: NameLookup, path: string, at: ReferenceSite, depth: number): Value | null {
  const [first = '', ...steps] = path.match(/[^.()]+|\(\)/g) ?? []
  let found = first.startsWith(':')
    ? declaredType(names, first.slice(1).split('/'), at, depth)
    : evaluateRoot(names, first, at)
  for (const step of steps) {
    if (!found || depth > maxDepth) return null
    found = step === '()' ? callResult(names, found, depth + 1) : evaluateMember(names, found, step, depth + 1)
  }
  return found
}

function evaluateRoot(names: NameLookup, name: string, at: ReferenceSite): Value | null {
  if (/^(this|self|Self|\$this|super)$/.test(name)) {
    const type = names.enclosingType(at)
    return type ? { is: 'instance', types: name === 'super' ? names.bases(type) : [type] } : null
  }
  const rows = names.named(name, at)
  if (rows.length > 0) return { is: 'named', rows }
  const module = names.module(name, at)
  return module === null ? null : { is: 'module', path: module }
}

/** @param first start of a type's name; its module or namespace if more parts follow */
function declaredType(
  names: NameLookup,
  [first = '', ...rest]: readonly string[],
  at: ReferenceSite,
  depth: number,
): Value | null {
  let found = evaluateRoot(names, first, at)
  for (const part of rest) found = found && evaluateMember(names, found, part, depth + 1)
  if (found?.is !== 'named') return found?.is === 'instance' ? found : null
  const rows = found.rows.filter(({ kind }) => typeNameKinds.has(kind))
  const aliases = rows.filter(({ kind }) => kind === 'type')
  // An alias has the members of its target.
  if (rows.length > 0 && aliases.length === rows.length) return declaredValueOf(names, rows, depth + 1)
  return rows.length > 0 ? { is: 'instance', types: rows } : null
}

/** Returns the value or return value of the first symbol that declares one. */
function declaredValueOf(names: NameLookup, rows: readonly SymbolRow[], depth: number): Value | null {
  if (depth > maxDepth) return null
  for (const row of rows) {
    const declared = parseDeclaredValue(row.signature, row.name, callableKinds.has(row.kind))
    if (!declared) continue
    if ('type' in declared && declared.type === 'this') {
      const owner = names.enclosingType(siteOf(row))
      return owner ? { is: 'instance', types: [owner] } : null
    }
    return evaluate(
      names,
      'type' in declared ? `:${declared.type.replaceAll('.', '/')}` : declared.origin,
      siteOf(row),
      depth + 1,
    )
  }
  return null
}

function siteOf({ id, file, path, language }: SymbolRow): ReferenceSite {
  return { file, path, language, symbol: id }
}

function callResult(names: NameLookup, value: Value, depth: number): Value | null {
  if (value.is !== 'named') return null
  const classes = value.rows.filter(({ kind }) => kind === 'class' || kind === 'struct')
  if (classes.length > 0) return { is: 'instance', types: classes }
  return declaredValueOf(
    names,
    value.rows.filter(({ kind }) => callableKinds.has(kind)),
    depth,
  )
}

function evaluateMember(names: NameLookup, value: Value, name: string, depth: number): Value | null {
  const rows = membersOf(names, value, name, depth)
  if (rows.length > 0) return { is: 'named', rows }
  const module = value.is === 'module' ? names.exportedModule(value.path, name) : null
  return module === null ? null : { is: 'module', path: module }
}

function membersOf(names: NameLookup, value: Value | null, name: string, depth = 0): SymbolRow[] {
  if (!value || depth > maxDepth) return []
  if (value.is === 'module') return names.exported(value.path, name)
  if (value.is === 'instance') return firstMatch(value.types, (type) => names.member(type, name))
  const own = firstMatch(value.rows, (row) =>
    callableKinds.has(row.kind) || row.kind === 'property' ? [] : names.member(row, name),
  )
  if (own.length > 0) return own
  const values = value.rows.filter(({ kind }) => kind === 'property' || kind === 'constant' || kind === 'variable')
  return values.length === 0 ? [] : membersOf(names, declaredValueOf(names, values, depth + 1), name, depth + 1)
}

function firstMatch(rows: readonly SymbolRow[], find: (row: SymbolRow) => SymbolRow[]): SymbolRow[] {
  for (const row of rows) {
    const found = find(row)
    if (found.length > 0) return found
  }
  return []
}
