import { expect, test } from 'vitest'
import type { AgentDefinition } from '../../shared/agent/agents.ts'
import { createOutside } from './externalPrograms.ts'

const never = new AbortController().signal

test('an external agent with a folder that it may not have is not started', async () => {
  const started: string[] = []
  const { connections, toolsReady } = createOutside({
    session: () => undefined,
    current: () => ({
      workspace: { root: '/workspace' } as never,
      jobs: { startProgram: () => Promise.reject(new Error(`${started.push('agent')}`)) } as never,
    }),
    version: 'test',
    windowed: false,
    forget: () => undefined,
  })
  for (const folder of ['/', '~/', 'relative']) {
    const definition = {
      id: 'a',
      name: 'A',
      command: 'agent',
      args: [],
      folders: [folder],
    } as unknown as AgentDefinition
    await expect(connections.open('talk', definition, undefined, never), folder).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(folder),
    })
  }
  expect(started).toEqual([])
  // Without a folder there are no MCP servers to wait for.
  expect(await toolsReady(never)).toEqual([])
})
