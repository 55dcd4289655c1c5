import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { chosenStories } from '../e2e/desktop/chosen.ts'

const folder = resolve(import.meta.dirname, '..', 'e2e')

it('each story that is chosen for the desktop harness exists', () => {
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
    .replaceAll(/\btest\(\s+/g, 'test(')
  expect(chosenStories.filter((title) => !sources.includes(`test('${title}'`))).toEqual([])
})
