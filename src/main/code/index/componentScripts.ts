import type { Range } from 'web-tree-sitter'
import { createCpuLimit } from './cpuTime.ts'
import type { Grammar } from './extractSymbols.ts'

export interface ComponentScripts {
  /** Language id of the scripts. */
  language: 'javascript' | 'typescript' | 'tsx'
  /** Positions of the scripts in the component. */
  ranges: Range[]
}

/**
 * Finds the script blocks of a single-file component (Vue, Svelte). Ranges keep the line numbers of the file.
 * @throws Error after `milliseconds` of processor time
 */
export function findScripts(
  { parser, language, queryFor }: Grammar,
  text: string,
  milliseconds: number,
): ComponentScripts {
  parser.setLanguage(language)
  const tree = parser.parse(text, null, { progressCallback: createCpuLimit(milliseconds) })
  if (!tree) {
    // Without a reset, the next parse would continue with this text.
    parser.reset()
    throw new Error(`Parsing took more than ${milliseconds / 1000} s of processor time, so symbols were not read.`)
  }
  try {
    const blocks = queryFor(text)
      .captures(tree.rootNode)
      .map(({ node }) => node)
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
