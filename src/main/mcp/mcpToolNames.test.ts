import { expect, it } from 'vitest'
import { toolNames } from './mcpToolNames.ts'

const valid = /^[a-zA-Z0-9_-]{1,64}$/

it('prefixes the tool with its server', () => {
  expect(toolNames([{ server: 'git hub', tool: 'issues/list' }])).toEqual(['git_hub__issues_list'])
})

it('truncates long names and keeps names unique', () => {
  const long = 'x'.repeat(100)
  const names = toolNames([
    { server: 'a', tool: `${long}1` },
    { server: 'a', tool: `${long}2` },
    { server: 'a b', tool: 'c' },
    { server: 'a.b', tool: 'c' },
    { server: 'ñ', tool: '日本' },
    { server: long, tool: 'same' },
  ])
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(valid)
})

it('keeps a name independent of other tools, unless two would share it', () => {
  const tool = { server: 'a', tool: 'b' }
  expect(toolNames([{ server: 'c', tool: 'd' }, tool])[1]).toBe(toolNames([tool])[0])
})
