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
