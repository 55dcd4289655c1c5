import { expect, it } from 'vitest'
import { toolNames } from './mcpToolNames.ts'

const valid = /^[a-zA-Z0-9_-]{1,64}$/

it('puts the server before the tool', () => {
  expect(toolNames([{ server: 'git hub', tool: 'issues/list' }])).toEqual(['git_hub__issues_list'])
})

it('cuts long names and tells apart those that would be one', () => {
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

it('gives a tool the same name whatever stands beside it, unless both want one', () => {
  const tool = { server: 'a', tool: 'b' }
  expect(toolNames([{ server: 'c', tool: 'd' }, tool])[1]).toBe(toolNames([tool])[0])
})
