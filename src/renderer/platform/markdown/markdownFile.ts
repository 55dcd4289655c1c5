import { createContext } from 'react'

/** Path of the rendered Markdown file; null for text in a conversation. */
export const MarkdownFile = createContext<string | null>(null)

/** Pure: resolves the path of a link or image in a file. `/` is the workspace. Main checks the result. */
export function pathFrom(file: string | null, path: string): string {
  if (file === null) return path
  const parts = path.startsWith('/') ? [] : file.split('/').slice(0, -1)
  for (const part of path.split(/[\\/]/)) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
