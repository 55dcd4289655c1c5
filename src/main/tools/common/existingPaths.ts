import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import { editDistance } from '../../base/editDistance.ts'
import { missingPathOf } from '../../workspace/containment.ts'
import type { ToolContext } from './toolDefinition.ts'

// Suggestions for paths that do not exist.

const maxSuggestions = 3
/** Maximum number of files to compare. */
const maxFiles = 20_000

type Services = Pick<ToolContext, 'files' | 'search'>

/** Adds suggestions to an error about a missing path. Returns other errors unchanged. */
export async function withExistingPaths(error: unknown, services: Services, signal: AbortSignal): Promise<unknown> {
  const missing = missingPathOf(error)
  if (missing === undefined || !(error instanceof ToolError) || signal.aborted) return error
  const found = await existingPaths(missing, services, signal)
  return found.length === 0
    ? error
    : new ToolError(error.code, error.message, `${suggestion(found)} ${error.next}`, { cause: error.cause })
}

/** Formats paths as a question. */
export function suggestion(found: readonly string[]): string {
  return `Did you mean ${found.map((one) => `"${one}"`).join(' or ')}?`
}

/** Returns the existing paths most similar to a missing one, best first. */
export async function existingPaths(
  missing: string,
  { files, search }: Services,
  signal: AbortSignal,
): Promise<string[]> {
  const parent = path.posix.dirname(missing)
  const [beside, all] = await Promise.all([
    orNothing(files.list(parent, signal).then((entries) => entries.map((entry) => entry.path))),
    orNothing(search.files({ maxResults: maxFiles }, { signal }).then(({ paths }) => paths)),
  ])
  const folders = new Set(all.flatMap(ancestors))
  return [...new Set([...beside, ...all, ...folders])]
    .map((candidate) => ({ candidate, cost: costOf(missing, candidate) }))
    .filter(({ cost }) => cost < Infinity)
    .toSorted((a, b) => a.cost - b.cost || a.candidate.length - b.candidate.length)
    .slice(0, maxSuggestions)
    .map(({ candidate }) => candidate)
}

/** Suggestions only supplement the error, so their own failures are ignored. */
async function orNothing(paths: Promise<string[]>): Promise<string[]> {
  return paths.catch((error: unknown) => {
    if (error instanceof ToolError) return []
    throw error
  })
}

function ancestors(file: string): string[] {
  const folder = path.posix.dirname(file)
  return folder === '.' ? [] : [folder, ...ancestors(folder)]
}

/** Returns the distance of a path from the missing one; Infinity if they are not similar. */
function costOf(missing: string, candidate: string): number {
  const [wanted, there] = [fold(missing), fold(candidate)]
  if (wanted === there) return 0
  const [name, other] = [path.posix.basename(wanted), path.posix.basename(there)]
  // The right name in another folder.
  if (name === other)
    return 1 + editDistance(path.posix.dirname(wanted).slice(-60), path.posix.dirname(there).slice(-60)) / 100
  if (Math.abs(name.length - other.length) > 2 || name.length < 3) return Infinity
  const distance = editDistance(name.slice(0, 100), other.slice(0, 100))
  if (distance > Math.max(1, Math.min(2, Math.floor(name.length / 3)))) return Infinity
  return (path.posix.dirname(wanted) === path.posix.dirname(there) ? 0.1 : 2) + distance
}

/** Folds case, Unicode forms and spaces that look alike. */
function fold(text: string): string {
  return text.normalize('NFC').replaceAll(/\s/gu, ' ').toLowerCase()
}
