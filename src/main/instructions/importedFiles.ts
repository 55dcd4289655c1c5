import path from 'node:path/posix'
import { readWorkspaceText, type InstructionDeps, type ReadText } from './instructionFiles.ts'

/** Imports of imports, and files that one file brings in altogether. */
const maxDepth = 4
const maxImports = 20
/** Characters. */
const maxName = 500

/**
 * The files that an instruction file imports with `@path` (as in CLAUDE.md), and those that they import. Paths are relative to the
 * importing file and stay inside the workspace; what names no file there is a plain word, as `@param` is. Nothing in code is an import.
 * @param seen paths that are not read again; those that were read are added
 */
export async function readImports(
  deps: InstructionDeps,
  file: ReadText,
  seen: Set<string>,
  signal: AbortSignal,
): Promise<ReadText[]> {
  const found: ReadText[] = []
  let waiting = [file]
  for (let depth = 0; depth < maxDepth && waiting.length > 0; depth += 1) {
    const next: ReadText[] = []
    for (const importing of waiting) {
      for (const name of importedNames(importing.text)) {
        if (found.length >= maxImports) return found
        const read = await readWorkspaceText(deps, path.join(path.dirname(importing.path), name), signal)
        // A note means that it may not be read, from outside the workspace above all: the importing file's words stand as they are.
        if (!read || read.note?.startsWith('not read') || seen.has(read.path)) continue
        seen.add(read.path)
        found.push(read)
        next.push(read)
      }
    }
    waiting = next
  }
  return found
}

function importedNames(text: string): string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '')
  const words = [...prose.matchAll(/(?:^|\s)@([^\s@"'<>]+)/g)]
    .map((match) => match[1] ?? '')
    .filter((word) => word.length <= maxName)
  const names = words.map((word) => word.replace(/[.,;:!?)]+$/, ''))
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('~') && !name.startsWith('/'))
}
