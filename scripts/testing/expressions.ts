import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'vite'

/** A regular expression as it is written in the sources of the main process. */
export interface WrittenExpression {
  /** As in the source: `/a+/g`. */
  text: string
  pattern: string
  flags: string
  /** The files that have it. */
  files: string[]
}

const root = resolve(import.meta.dirname, '../..')

/** Every literal of src/main and src/shared, tests left out. Expressions that are put together at run time are not among them. */
export function writtenExpressions(): WrittenExpression[] {
  const found = new Map<string, WrittenExpression>()
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

/** Stands for an expression in the record of those that take linear time. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10)
}
