import { expect, it } from 'vitest'
import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import type { AgentConnection } from '../../acp/agentTypes.ts'
import { createAgentConnections, maxRunning } from './agentConnections.ts'

const definition: AgentDefinition = { id: 'a', name: 'A', command: 'a', args: [], env: {}, folders: [], sandbox: false }
const signal = new AbortController().signal

/** Connections whose agents do nothing, and the names of the ended ones. */
function idleAgents() {
  const closed: string[] = []
  let opened = 0
  const connections = createAgentConnections(async () => {
    const name = `c${opened}`
    opened += 1
    return {
      isOpen: () => !closed.includes(name),
      openSession: async () => ({ id: name, continued: true }),
      close: async () => void closed.push(name),
      // The connections use nothing else.
    } as Partial<AgentConnection> as AgentConnection
  })
  return { closed, open: (name: string) => connections.open(name, definition, undefined, signal) }
}

it('ends the agent without a turn that was used longest ago, and never one whose turn runs', async () => {
  const { closed, open } = idleAgents()
  const sessions = []
  for (let index = 0; index < maxRunning; index += 1) sessions.push(await open(`c${index}`))
  sessions[1]?.release()
  sessions[2]?.release()
  await open('c4')
  expect(closed).toEqual(['c1'])
  await open('c2')
  await open('c5')
  expect(closed).toEqual(['c1'])
})

it('ends all that are too many after many turns at the same time', async () => {
  const { closed, open } = idleAgents()
  const sessions = []
  for (let index = 0; index < maxRunning + 3; index += 1) sessions.push(await open(`c${index}`))
  expect(closed).toEqual([])
  for (const { release } of sessions) release()
  await open('another')
  expect(closed).toEqual(['c0', 'c1', 'c2', 'c3'])
})
