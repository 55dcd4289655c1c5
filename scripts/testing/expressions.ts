import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'vite'

/** A regular expression literal in the sources of the main process. */
export interface RegexLiteral {
  /** Source text: `/a+/g`. */
  text: string
  pattern: string
  flags: string
  /** Files that contain it. */
  files: string[]
}

const root = resolve(import.meta.dirname, '../..')

/** Returns all regular expression literals in src/main and src/shared, except in tests. */
export function regexLiterals(): RegexLiteral[] {
  const found = new Map<string, RegexLiteral>()
  const files = globSync('src/{main,shared}/**/*.ts', { cwd: root }).filter(
    (file) => !/\.test\.ts$|\/testing\/|testSupport/.test(file),
  )
  for (const file of files.toSorted()) {
    const visitor = new Visitor({
      Literal(node) {
        if (!('regex' in node)) return
        const { pattern, flags } = node.regex
        const text = `/${pattern}/${flags}`
        const known = found.get(text) ?? { text, pattern, flags, files: [] }
        known.files = [...new Set([...known.files, file])]
        found.set(text, known)
      },
    })
    visitor.visit(parseSync(file, readFileSync(join(root, file), 'utf8')).program)
  }
  return [...found.values()]
}

/** Returns the key of an expression in expressions.json, the record of expressions that take linear time. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10)
}
