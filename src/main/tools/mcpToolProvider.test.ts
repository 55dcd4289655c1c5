import { expect, test } from 'vitest'
import type { McpTool } from '../mcp/mcpTool.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import { createMcpToolProvider } from './mcpToolProvider.ts'

const tool = (change: Partial<McpTool> = {}): McpTool => ({
  name: 'git__log',
  server: 'git',
  serverKey: 'user:git',
  tool: 'log',
  title: 'Log',
  description: 'Reads.',
  schema: { type: 'object' },
  risk: 'execute',
  off: false,
  fingerprint: 'f',
  call: async () => ({ text: '', json: false, pictures: [] }),
  ...change,
})

test.each([
  ['described differently', { fingerprint: 'g' }],
  ['of another server with the same name and description', { serverKey: 'a hash' }],
])('a tool is reported as redefined when it is %s, even if it was missing in between', (_, change) => {
  const redefined: string[] = []
  let listed: readonly McpTool[] = [tool()]
  // Only the tools of the servers are used here.
  const tools = createMcpToolProvider(
    () => ({ tools: () => listed }) as Mcp,
    (name) => redefined.push(name),
  )
  for (const next of [[tool()], [], [tool()]]) {
    listed = next
    expect(tools.list()).toHaveLength(next.length)
  }
  expect(redefined).toEqual([])
  listed = [tool(change)]
  expect(tools.list().map(({ name }) => name)).toEqual(['git__log'])
  expect(redefined).toEqual(['git__log'])
})
