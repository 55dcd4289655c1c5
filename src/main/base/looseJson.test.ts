import { expect, it } from 'vitest'
import { parseLooseJson } from './looseJson.ts'

it('comments and trailing commas are accepted, other mistakes are not', () => {
  expect(parseLooseJson('\ufeff{\n// one\n"a": [1, /* two */ 2,],}')).toEqual({ a: [1, 2] })
  for (const text of ['', '{a: 1}', "{'a': 1}", '{"a": 1} x', '{"a": 1', '{"a": "\n"}', 'undefined'])
    expect(parseLooseJson(text)).toBeUndefined()
})

it.each(['a=\n', '1\n', '[a]\n', '[', '{"a":', '"', '/*', '/**/', '{"a":1,'])(
  'a megabyte of %j takes a moment',
  (part) => {
    const before = process.cpuUsage()
    parseLooseJson(part.repeat(Math.floor((1024 * 1024) / part.length)))
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000)
  },
)
