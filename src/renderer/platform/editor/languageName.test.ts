import { expect, it } from 'vitest'
import { languageName } from './languageName.ts'

it('a language has the name that begins with a capital letter, if there is one', () => {
  expect(languageName({ id: 'clojure', aliases: ['clojure', 'Clojure'] })).toBe('Clojure')
  expect(languageName({ id: 'typescript', aliases: ['TypeScript', 'ts'] })).toBe('TypeScript')
  expect(languageName({ id: 'aes', aliases: ['aes'] })).toBe('aes')
  expect(languageName({ id: 'plain' })).toBe('plain')
})
