import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Returns the selectors that have more than one rule at the top level of a style sheet. */
function repeatedSelectors(sheet: string): string[] {
  const rules = sheet.replaceAll(/\/\*[^]*?\*\//g, '').split(/^}/m)
  const selectors = rules.map((rule) => rule.slice(0, rule.indexOf('{')).replaceAll(/\s+/g, ' ').trim())
  return selectors.filter((selector, at) => /^[^@]/.test(selector) && selectors.indexOf(selector) < at)
}

it('gives each selector of a style sheet one rule, because a second one is often a selector that has lost its scope', () => {
  expect(repeatedSelectors('.a { color: red }\n}\n.b .c {\n}\n.a {\n}\n')).toEqual(['.a'])
  const found = globSync('src/**/*.css', { cwd: root }).map(
    (path) => [path, repeatedSelectors(readFileSync(join(root, path), 'utf8'))] as const,
  )
  expect(found.length).toBeGreaterThan(30)
  expect(found.filter(([, selectors]) => selectors.length > 0)).toEqual([])
})
