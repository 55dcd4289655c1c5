import { expect, it } from 'vitest'
import { readDefinitions } from './serverDefinitions.ts'

it('a server whose command line has very many words is ignored, because files are looked up for each', async () => {
  const words = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(' ')
  const servers = { first: { command: 'node', args: ['a.js'] }, huge: { command: 'sh', args: ['-c', words] } }
  const text = JSON.stringify({ mcpServers: servers })
  const { servers: found, problems } = await readDefinitions(async (file) => (file === '.mcp.json' ? text : null))
  expect(found.map(({ name }) => name)).toEqual(['first'])
  expect(problems).toEqual(['.mcp.json: the server "huge" is ignored, because the command lines are too long.'])
})

it.each(['[', '{"mcpServers":', '{"mcpServers":{"a":{"env":'])('a megabyte of %j is one problem', async (part) => {
  const text = part.repeat(Math.floor((1024 * 1024) / part.length))
  const { servers, problems } = await readDefinitions(async (file) => (file === '.mcp.json' ? text : null))
  expect(servers).toEqual([])
  expect(problems).toHaveLength(1)
})

it('a server name that is there twice is named, and the last one is used', async () => {
  const text = `{"mcpServers": {"a": {"command": "one"}, "b": {"command": "b", "env": {"X": "1", "X": "2"}}, "a": {"command": "two"}}}`
  const { servers, problems } = await readDefinitions(async (file) => (file === '.mcp.json' ? text : null))
  expect(servers.map(({ name, definition }) => [name, definition])).toMatchObject([
    ['a', { command: 'two' }],
    ['b', { env: { X: '2' } }],
  ])
  expect(problems).toEqual([
    '.mcp.json: "X" of the server "b" is defined twice. Only the last definition is used.',
    '.mcp.json: the server "a" is defined twice. Only the last definition is used.',
  ])
})

it('a section of servers that is there twice is named', async () => {
  const text = '{"mcpServers": {"a": {"command": "one"}}, "mcpServers": {"b": {"command": "two"}}}'
  const { servers, problems } = await readDefinitions(async (file) => (file === '.mcp.json' ? text : null))
  expect(servers.map(({ name }) => name)).toEqual(['b'])
  expect(problems).toEqual(['.mcp.json: "mcpServers" is defined twice. Only the last definition is used.'])
})

it.each([
  ['once in each spelling', '{"mcpServers": {"a": {"command": "one"}, "\\u0061": {"command": "two"}}}'],
  ['three times', '{"mcpServers": {"a": {"command": "0"}, "a": {"command": "1"}, "a": {"command": "two"}}}'],
  ['the last time invalid', '{"mcpServers": {"a": {"command": "one"}, "a": {"command": 2}}}'],
])('a name %s starts at most the last one', async (_case, text) => {
  const { servers, problems } = await readDefinitions(async (file) => (file === '.mcp.json' ? text : null))
  expect(servers.every(({ definition }) => JSON.stringify(definition).includes('"two"'))).toBe(true)
  expect(problems.filter((problem) => problem.includes('defined twice'))).toHaveLength(1)
})
