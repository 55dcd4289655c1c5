import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { readSnippets, type Snippet } from '../../shared/editor/snippets.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { readSmallFile } from '../base/smallFile.ts'

const maxFiles = 100

/**
 * Reads the snippet files in a folder: `LANGUAGE.json` for one language, and `NAME.code-snippets` for several. Ignores
 * a file that is not valid JSON, apart from comments and trailing commas.
 * @param onlyShared reads only `.code-snippets`, as in a folder's `.vscode/`
 */
export async function readSnippetFolder(folder: string, { onlyShared = false } = {}): Promise<Snippet[]> {
  const names = await readdir(folder).catch((): string[] => [])
  const files = names
    .filter((name) => name.endsWith('.code-snippets') || (!onlyShared && name.endsWith('.json')))
    .toSorted()
    .slice(0, maxFiles)
  const snippets = await Promise.all(
    files.map(async (name) => {
      const text = await readSmallFile(path.join(folder, name))
      if (text === null) return []
      const language = name.endsWith('.json') ? name.slice(0, -'.json'.length) : null
      return readSnippets(parseLooseJson(text), language)
    }),
  )
  return snippets.flat()
}
