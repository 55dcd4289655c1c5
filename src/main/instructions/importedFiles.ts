import path from 'node:path/posix'
import { readWorkspaceText, type InstructionDeps, type ReadText } from './instructionFiles.ts'

/** Maximum import depth, and maximum number of imported files per instruction file. */
const maxDepth = 4
const maxImports = 20
/** Maximum characters of a path. */
const maxName = 500

/**
 * Reads the files that an instruction file imports with `@path` (as in CLAUDE.md), recursively. Paths are relative to
 * the importing file and must stay inside the workspace. Ignores names without a file, such as `@param`, and names in
 * code.
 * @param seen paths to skip; paths that are read are added
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
        // A note means that the file could not be read, e.g. because it is outside the workspace; the import stays as
        // text.
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
