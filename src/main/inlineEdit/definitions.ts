import type { InlineEditParams } from '../../shared/agent/inlineEdit.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import { log } from '../base/log/log.ts'

export interface DefinitionDeps {
  code: Pick<CodeIndex, 'definition'>
  /** Whether the text of a file may be sent to a model without approval. */
  isReadable(path: string): boolean
  /** Time limit in milliseconds. After that, the model answers without definitions. */
  maxMs?: number
}

/** Maximum number of names to look up. */
const maxNames = 16

/**
 * Describes the definitions, in other files, of the names that the selected lines use: path, signature and first line
 * of the comment. Returns '' if there are none.
 */
export async function definitionsFor(
  edit: Pick<InlineEditParams, 'path' | 'selection' | 'line'>,
  { code, isReadable, maxMs = 400 }: DefinitionDeps,
  signal: AbortSignal,
): Promise<string> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(maxMs)])
  const found = await Promise.all(
    placesOfNames(edit.selection ?? [], edit.line).map((place) =>
      code.definition({ path: edit.path, ...place }, limited).catch((error: unknown) => {
        if (!limited.aborted) log.warn(`Definitions for an inline edit were not found: ${String(error)}`)
        return null
      }),
    ),
  )
  signal.throwIfAborted()
  const lines = found.flatMap((definition) => {
    const target = definition?.resolved ? definition.targets[0] : undefined
    if (!target || target.path === edit.path || !isReadable(target.path)) return []
    const comment = target.doc.split('\n')[0] ?? ''
    return [`${target.path}:${target.name_line} ${target.signature}${comment === '' ? '' : ` — ${comment}`}`]
  })
  return [...new Set(lines)].join('\n')
}

/** Returns the first position of each name, in text order. */
function placesOfNames(lines: readonly string[], firstLine: number): { line: number; column: number }[] {
  const places = new Map<string, { line: number; column: number }>()
  for (const [index, line] of lines.entries()) {
    for (const match of line.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu)) {
      if (places.size === maxNames) return [...places.values()]
      if (!places.has(match[0])) places.set(match[0], { line: firstLine + index, column: match.index + 1 })
    }
  }
  return [...places.values()]
}
