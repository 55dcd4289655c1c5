import { cp, glob, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type IndexEngine } from '../src/main/code/process/indexEngine.ts'
import { compilerCalls, type CompilerCall } from './compilerCalls.ts'
import type { Row } from './row.ts'

const root = join(import.meta.dirname, '..')
/**
 * Folders to compare: a package with TypeScript sources, and Tizona itself. Tests are skipped, because they mostly call
 * test runners.
 */
const samples = [
  { name: 'zod', sources: 'node_modules/zod/src' },
  { name: 'Tizona', sources: 'src' },
]
const compilerOptions = {
  target: 'ES2024',
  module: 'ESNext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: ['node'],
  jsx: 'react-jsx',
  lib: ['ES2024', 'DOM', 'DOM.Iterable'],
}

/** Locations are `path:line:column` of a name. */
export interface Comparison {
  /** Resolved edges whose call, according to the compiler, has another target or one outside the package. */
  wrong: { at: string; ours: string; declared: string[] }[]
  right: number
  /** Resolved edges of calls that the compiler cannot resolve, such as on a value of type any. Not judged. */
  unjudged: number
  /** Calls of the package's functions, methods and classes, according to the compiler. */
  calls: number
  resolved: number
  /** Calls with a correct edge that is only a name match. */
  named: number
  missed: { at: string; declared: string[] }[]
}

/**
 * Compares the incoming call edges of `symbol_graph` with the calls that TypeScript's checker resolves. Includes calls
 * and `new` by a name, including after a dot. Excludes calls of parameters and of values that are not declared as a
 * function, which have no definition, computed names, `super(…)`, tagged templates, decorators, and JSX, which the
 * index records as usage.
 */
export async function measure(): Promise<Row[]> {
  const rows: Row[] = []
  for (const sample of samples) {
    const { wrong, right, unjudged, calls, resolved, named } = await compareSample(sample.sources)
    const edges = right + wrong.length
    rows.push(
      {
        question: `call edges of ${sample.name} marked resolved: precision against TypeScript's checker`,
        value: (right / edges) * 100,
        unit: '%',
        goal: 95,
        how: `${right} of ${edges} edges; ${unjudged} more where the compiler knows no target`,
      },
      {
        question: `calls of ${sample.name} inside the package: recall`,
        value: (resolved / calls) * 100,
        unit: '%',
        goal: 85,
        how: `${resolved} of ${calls} calls as resolved edges; ${named} more as name matches`,
      },
    )
  }
  return rows
}

/** @param sources a folder of TypeScript, relative to the repository */
export async function compareSample(sources: string): Promise<Comparison> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-edges-')))
  try {
    await cp(join(root, sources), join(folder, 'src'), {
      recursive: true,
      filter: (path) => !/(^|\/)(tests?|benchmarks?)$|\.test\.tsx?$/.test(path.slice(root.length)),
    })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
    return compare(compilerCalls(folder), await ourEdges(folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** An edge of the index. `to`: locations of the symbol's name and, for a constructor, of its class's name. */
interface OurEdge {
  at: string
  to: string[]
  resolved: boolean
}

async function ourEdges(folder: string): Promise<OurEdge[]> {
  const engine = createEngine({
    root: folder,
    database: join(folder, 'index.db'),
    grammars: join(root, 'resources/grammars'),
    onNotice: (message) => console.error(message),
  })
  try {
    const paths: string[] = []
    for await (const path of glob('src/**/*.{ts,tsx}', { cwd: folder })) paths.push(path)
    await engine.refresh(paths)
    return (await Promise.all(paths.map((path) => edgesInto(engine, path)))).flat()
  } finally {
    await engine.close()
  }
}

async function edgesInto(engine: IndexEngine, path: string): Promise<OurEdge[]> {
  const { symbols } = engine.outline(path)
  const found: OurEdge[] = []
  for (const symbol of symbols) {
    if (symbol.kind === 'import' || symbol.kind === 'export') continue
    // The compiler reports the class for `new`, the index the constructor.
    const owner = symbol.name === 'constructor' ? symbols.find(({ id }) => id === symbol.parent) : undefined
    const to = [symbol, ...(owner ? [owner] : [])].map((row) => `${row.path}:${row.name_line}:${row.name_column}`)
    const graph = await engine.graph({ id: symbol.symbol_id, kind: 'call', limit: Number.MAX_SAFE_INTEGER })
    for (const { direction, path: file, line, column, resolved } of graph?.edges ?? [])
      if (direction === 'incoming') found.push({ at: `${file}:${line}:${column}`, to, resolved })
  }
  return found
}

function compare(compiler: readonly CompilerCall[], ours: readonly OurEdge[]): Comparison {
  const calls = new Map(compiler.map((call) => [call.at, call]))
  const found: Comparison = { wrong: [], right: 0, unjudged: 0, calls: 0, resolved: 0, named: 0, missed: [] }
  const reached = { resolved: new Set<string>(), named: new Set<string>() }
  for (const { at, to, resolved } of ours) {
    const call = calls.get(at)
    const right = call?.declared.some((place) => to.includes(place)) ?? false
    if (right) reached[resolved ? 'resolved' : 'named'].add(at)
    if (!resolved) continue
    if (right) found.right++
    else if (call?.known) found.wrong.push({ at, ours: to.join(' '), declared: call.declared })
    else found.unjudged++
  }
  for (const { at, declared, counted } of compiler) {
    if (!counted) continue
    found.calls++
    if (reached.resolved.has(at)) found.resolved++
    else if (reached.named.has(at)) found.named++
    if (!reached.resolved.has(at)) found.missed.push({ at, declared })
  }
  return found
}
