import type { Range } from 'web-tree-sitter'
import { createCpuLimit } from './cpuTime.ts'
import type { Grammar } from './extractSymbols.ts'

export interface ComponentScripts {
  /** Id of the language they are written in. */
  language: 'javascript' | 'typescript' | 'tsx'
  /** Where they stand in the component's text. */
  ranges: Range[]
}

/**
 * The script blocks of a single-file component (Vue, Svelte), to be read in place so that lines stay those of the file. Throws when it
 * takes more than `milliseconds` of processor time.
 */
export function findScripts(
  { parser, language, query }: Grammar,
  text: string,
  milliseconds: number,
): ComponentScripts {
  parser.setLanguage(language)
  const tree = parser.parse(text, null, { progressCallback: createCpuLimit(milliseconds) })
  if (!tree) {
    // It would go on with the text that it was stopped in.
    parser.reset()
    throw new Error(
      `Reading it took more than ${milliseconds / 1000} s of processor time, so its symbols are not read.`,
    )
  }
  try {
    const blocks = query.captures(tree.rootNode).map(({ node }) => node)
    const tags = blocks.map((block) => block.previousNamedSibling?.text ?? '').join(' ')
    return {
      language: /\blang\s*=\s*["']?[tj]sx\b/.test(tags)
        ? 'tsx'
        : /\blang\s*=\s*["']?(ts|typescript)\b/.test(tags)
          ? 'typescript'
          : 'javascript',
      ranges: blocks.map(({ startIndex, endIndex, startPosition, endPosition }) => ({
        startIndex,
        endIndex,
        startPosition,
        endPosition,
      })),
    }
  } finally {
    tree.delete()
  }
}
