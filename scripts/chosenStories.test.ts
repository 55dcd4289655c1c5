import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { chosenStories } from '../e2e/desktop/chosen.ts'

const folder = resolve(import.meta.dirname, '..', 'e2e')

it('at least twenty stories are chosen for the desktop harness, and each exists', () => {
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
    .replaceAll(/\btest\(\s+/g, 'test(')
  expect(chosenStories.filter((title) => !sources.includes(`test('${title}'`))).toEqual([])
  expect(new Set(chosenStories).size).toBeGreaterThanOrEqual(20)
  expect(chosenStories[0]).toContain('the tour')
})
