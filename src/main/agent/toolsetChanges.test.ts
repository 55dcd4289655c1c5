import { expect, it } from 'vitest'
import type { Transcript } from './transcript.ts'
import { toolsetChanges } from './toolsetChanges.ts'

const conversation = (): Transcript => ({
  items: () => [],
  put: () => undefined,
  append: () => undefined,
  progress: () => undefined,
  note: () => undefined,
})
const tool = (name: string, description = 'Does it.') => ({ name, description, parameters: {} })
const texts = (...given: Parameters<typeof toolsetChanges>) => toolsetChanges(...given).map((item) => item.text)

it('says nothing of the tools a conversation begins with, nor of those that stay', () => {
  const talk = conversation()
  expect(texts(talk, [tool('a')], [])).toEqual([])
  expect(texts(talk, [tool('a')], [])).toEqual([])
})

it('names what came, went and changed since the turn before', () => {
  const talk = conversation()
  toolsetChanges(talk, [tool('a'), tool('b')], [])
  expect(texts(talk, [tool('b', 'Does more.'), tool('c')], [])).toEqual([
    'The tools are not those of the turn before. New: c. Gone: a. Changed: b.',
  ])
  expect(texts(conversation(), [tool('c')], [])).toEqual([])
})

it('tells of a problem once, in one notice with others, and again when it came back', () => {
  const talk = conversation()
  expect(texts(talk, [], ['x is down', 'y is down'])).toEqual(['x is down\ny is down'])
  expect(texts(talk, [], ['x is down'])).toEqual([])
  expect(texts(talk, [], [])).toEqual([])
  expect(texts(talk, [], ['x is down'])).toEqual(['x is down'])
})
