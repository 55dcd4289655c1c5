import type { LinkRow, ReferenceRow } from '../index/indexRows.ts'
import { resolveBareName, type ResolutionContext } from './bareNames.ts'
import { resolveMember, type NameLookup } from './expressionMembers.ts'
import { pythonSubmodule } from './importResolver.ts'
import { resolvedTo, unresolved, type Resolution } from './resolution.ts'
import { enclosingType } from './symbolLookup.ts'

/** Names of the current object and of its base type. */
const selfWords: Readonly<Record<string, RegExp>> = {
  python: /^(self|cls|super\(\))$/,
  ruby: /^self$/,
  rust: /^(self|Self)$/,
  php: /^(\$this|self|static|parent)$/,
  csharp: /^(this|base)$/,
  cpp: /^this$/,
  swift: /^(self|Self|super)$/,
}
const defaultSelfWords = /^(this|super)$/
const baseTypeWords = /^(super|parent|base)/

/**
 * Resolves a name after a dot from its receiver: the current object, an imported module, an expression of a declared
 * type, a namespace, or a type. Null if the receiver is unknown or has no member of this name.
 */
export function resolveMemberAccess(
  context: ResolutionContext,
  reference: ReferenceRow,
  receiver: string,
): Resolution | null {
  if ((selfWords[reference.language] ?? defaultSelfWords).test(receiver))
    return resolveSelfMember(context, reference, receiver)
  return (
    resolveImportedMember(context, reference, receiver) ??
    resolveTypedMember(context, reference) ??
    resolveQualifiedName(context, reference, receiver) ??
    resolveOwnerMember(context, reference, receiver)
  )
}

function resolveSelfMember(
  { store, members }: ResolutionContext,
  { symbol, name }: ReferenceRow,
  receiver: string,
): Resolution | null {
  const type = enclosingType(store, symbol)
  if (!type) return null
  return resolvedTo(baseTypeWords.test(receiver) ? members.findInherited(type, name) : members.find(type, name))
}

/** Resolves a member of a module that the file imports under the receiver's name. */
function resolveImportedMember(
  { store, findModule, imports }: ResolutionContext,
  { file, name }: ReferenceRow,
  receiver: string,
): Resolution | null {
  for (const link of store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file, receiver)) {
    const module = imports.sourceModule(link)
    const submodule =
      link.source === null ? null : findModule(link.language, link.path, pythonSubmodule(link.source, link.original))
    const isWholeModule = link.original === '*'
    for (const candidate of [isWholeModule ? module : null, link.language === 'python' ? submodule : null]) {
      const exported = candidate === null ? null : resolvedTo(imports.exportedSymbols(candidate, name))
      if (exported) return exported
    }
    if (module === null && submodule === null && isWholeModule && isExternal(findModule, link)) return unresolved
  }
  return null
}

function isExternal(findModule: ResolutionContext['findModule'], { language, path, source }: LinkRow): boolean {
  return source !== null && findModule.isExternal(language, path, source)
}

/** Resolves a member through the declared type of the receiver. */
function resolveTypedMember(context: ResolutionContext, reference: ReferenceRow): Resolution | null {
  const { origin, name } = reference
  return origin === null ? null : resolvedTo(resolveMember(nameLookupFor(context), origin, name, reference))
}

function nameLookupFor(context: ResolutionContext): NameLookup {
  const { store, imports, members } = context
  return {
    named(name, site) {
      const resolution = resolveBareName(context, name, site)
      return resolution?.resolved ? resolution.targets : []
    },
    module: (name, { file }) => imports.importedModule(file, name),
    exported: (module, name) => imports.exportedSymbols(module, name) ?? [],
    exportedModule: imports.exportedModule,
    member: members.find,
    enclosingType: ({ symbol }) => enclosingType(store, symbol),
    bases: members.bases,
  }
}

/** Resolves a receiver that is the path of a module or namespace. */
function resolveQualifiedName(
  { findModule, imports, namespaces }: ResolutionContext,
  { language, path, name }: ReferenceRow,
  receiver: string,
): Resolution | null {
  if (language === 'rust') {
    const module = findModule(language, path, receiver)
    const exported = module === null ? null : resolvedTo(imports.exportedSymbols(module, name))
    if (exported) return exported
  }
  if (!namespaces.has(language) || !/^[\w.\\]+$/.test(receiver)) return null
  return resolvedTo(namespaces.byQualifiedName(language, `${receiver}.${name}`))
}

/** Resolves a member of the type that the receiver names. */
function resolveOwnerMember(context: ResolutionContext, reference: ReferenceRow, receiver: string): Resolution | null {
  if (!/^[\w$]+$/.test(receiver)) return null
  const owner = resolveBareName(context, receiver, reference)
  return owner?.resolved
    ? resolvedTo(owner.targets.flatMap((type) => context.members.find(type, reference.name)))
    : null
}
