import { dirname } from 'node:path'

/** Stands for the path of the open folder in exported conversations. */
const placeholder = '/workspace'

/** Returns a placeholder that does not occur in a text; undefined for a folder whose path is part of every path. */
export function placeholderFor(folder: string, text: string): string | undefined {
  if (folder === '' || dirname(folder) === folder) return undefined
  let found = placeholder
  for (let number = 2; text.includes(found); number++) found = `${placeholder}-${number}`
  return found
}

/** Replaces the path of a folder in a text, including in JSON. Leaves sibling folders with a longer name alone. */
export function replaceFolder(text: string, from: string, to: string): string {
  const escaped = inJson(from)
  const replaced = escaped === from ? text : replacePath(text, escaped, to)
  return replacePath(replaced, from, to)
}

function replacePath(text: string, from: string, to: string): string {
  return text.replaceAll(from, (path, offset: number) => (continuesName(text, offset + path.length) ? path : to))
}

/** Whether the name continues after this position. A dot may also end a sentence. */
function continuesName(text: string, position: number): boolean {
  return /^(?:[\w-]|\.\w)/.test(text.slice(position, position + 2))
}

/** Replaces the path of a folder in every string of a JSON value. */
export function replaceFolderIn<T>(value: T, from: string, to: string): T {
  // The copy has the same type, because only strings change.
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    // The arguments of calls are JSON text.
    typeof part === 'string' ? replaceFolder(part, from, key === 'arguments' ? inJson(to) : to) : part,
  ) as T
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
