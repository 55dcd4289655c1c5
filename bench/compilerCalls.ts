import { relative } from 'node:path'
import { API, SymbolFlags, type NodeHandle, type Project } from 'typescript/unstable/sync'
import { SyntaxKind, type Node, type SourceFile } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isCallExpression,
  isClassExpression,
  isFunctionExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'

/** A call and its target, according to the compiler. Locations are `path:line:column` of a name, 1-based. */
export interface CompilerCall {
  at: string
  /** All declarations of the target; empty if it is unknown or outside the folder. */
  declared: string[]
  /** Whether the target is called by name and declared in the folder as a function, method or class. */
  counted: boolean
  /** Whether the compiler knows the target. */
  known: boolean
}

/** Returns all calls and `new` expressions by name in a folder with a tsconfig.json, as resolved by TypeScript. */
export function compilerCalls(root: string): CompilerCall[] {
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] })
    const project = snapshot.getProject(`${root}/tsconfig.json`)
    if (!project) throw new Error(`TypeScript opened no project in ${root}.`)
    const places = new Map<string, Declared | null>()
    return project.rootFiles.flatMap((name) => {
      const file = project.program.getSourceFile(name)
      return file ? callsIn(file, project, root, places) : []
    })
  } finally {
    api.close()
  }
}

interface Declared {
  at: string
  callable: boolean
}

function callsIn(
  file: SourceFile,
  project: Project,
  root: string,
  places: Map<string, Declared | null>,
): CompilerCall[] {
  const names: Node[] = []
  const visit = (node: Node): undefined => {
    if (isCallExpression(node) || isNewExpression(node)) {
      const called = node.expression
      if (isIdentifier(called)) names.push(called)
      else if (isPropertyAccessExpression(called)) names.push(called.name)
    }
    node.forEachChild(visit)
  }
  visit(file)
  const symbols = names.length === 0 ? [] : project.checker.getSymbolAtLocation(names)
  return names.map((name, index) => {
    const given = symbols[index]
    const symbol = given && (given.flags & SymbolFlags.Alias) !== 0 ? project.checker.getAliasedSymbol(given) : given
    const declared = (symbol?.declarations ?? []).flatMap((handle) => declaredAt(handle, project, root, places) ?? [])
    return {
      at: placeOf(name, file, root),
      declared: declared.map(({ at }) => at),
      counted: declared.some(({ callable }) => callable),
      known: symbol !== undefined && !project.checker.isUnknownSymbol(symbol) && symbol.declarations.length > 0,
    }
  })
}

function declaredAt(
  handle: NodeHandle,
  project: Project,
  root: string,
  places: Map<string, Declared | null>,
): Declared | null {
  const key = `${handle.path}:${handle.index}`
  const before = places.get(key)
  if (before !== undefined) return before
  const node =
    handle.path.startsWith(`${root}/`) && !handle.path.includes('/node_modules/') ? handle.resolve(project) : undefined
  // All named declarations have this field.
  const name = node && 'name' in node ? (node.name as Node | undefined) : undefined
  const found = node && name ? { at: placeOf(name, node.getSourceFile(), root), callable: isCallable(node) } : null
  places.set(key, found)
  return found
}

const declarations: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.ClassDeclaration,
])

/** Whether a declaration is a function, method or class, or a variable or property with such a value. */
function isCallable(node: Node): boolean {
  if (declarations.has(node.kind)) return true
  if (!isVariableDeclaration(node) && !isPropertyDeclaration(node) && !isPropertyAssignment(node)) return false
  const value = node.initializer
  return value !== undefined && (isArrowFunction(value) || isFunctionExpression(value) || isClassExpression(value))
}

function placeOf(name: Node, file: SourceFile, root: string): string {
  const start = name.getStart(file)
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  return `${relative(root, file.fileName)}:${line + 1}:${character + 1}`
}
