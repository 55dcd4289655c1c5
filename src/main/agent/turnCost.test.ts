import { expect, it } from 'vitest'
import type { ModelClient, ModelEvent } from '../model/modelClient.ts'
import { createCostMeter } from './turnCost.ts'

const request = { model: 'm', messages: [], tools: [], temperature: 0, signal: new AbortController().signal }
const choice = { endpointId: 'e', model: 'm' }
const usage: ModelEvent = { kind: 'usage', usage: { promptTokens: 100, completionTokens: 20 } }

function clientOf(...answers: (ModelEvent | Error)[][]): ModelClient {
  return {
    models: () => Promise.resolve([]),
    async *stream() {
      for (const event of answers.shift() ?? []) {
        if (event instanceof Error) throw event
        yield event
      }
    },
  }
}

/** A meter that records when it counts. */
function energyMeter() {
  const calls: string[] = []
  const call = (name: string) => async () => void calls.push(name)
  const close = async () => {
    calls.push('close')
    return { wattHours: 0.5, of: ['graphics' as const] }
  }
  return { calls, meter: { resume: call('resume'), pause: call('pause'), close } }
}

async function read(client: ModelClient): Promise<void> {
  for await (const event of client.stream(request)) expect(event.kind).not.toBe('status')
}

it('adds up the requests of a turn, and measures energy only while one runs', async () => {
  const { calls, meter } = energyMeter()
  const cost = createCostMeter(() => meter)
  const client = cost.count(clientOf([usage], [usage], [new Error('cut')]), choice)
  await read(client)
  expect(calls).toEqual(['resume', 'pause'])
  await read(client)
  await expect(read(client)).rejects.toThrow('cut')
  expect(await cost.close()).toMatchObject({
    requests: 3,
    promptTokens: 200,
    completionTokens: 40,
    energy: { wattHours: 0.5, of: ['graphics'] },
  })
  expect(calls).toEqual(['resume', 'pause', 'resume', 'pause', 'resume', 'pause', 'close'])
})

it('counts the time of requests beside each other once', async () => {
  const { calls, meter } = energyMeter()
  const client = createCostMeter(() => meter).count(clientOf([usage], [usage]), choice)
  const outer = client.stream(request)[Symbol.asyncIterator]()
  await outer.next()
  await read(client)
  expect(calls).toEqual(['resume'])
  await outer.return?.()
  expect(calls).toEqual(['resume', 'pause'])
})

it("measures a sub-agent's model on this machine, and not the conversation's on another one", async () => {
  const { calls, meter } = energyMeter()
  const cost = createCostMeter(({ endpointId }) => (endpointId === 'here' ? meter : undefined))
  const far = cost.count(clientOf([usage], [usage]), choice)
  const near = cost.count(clientOf([usage]), { endpointId: 'here', model: 'small' })
  await read(far)
  expect(calls).toEqual([])
  const outer = far.stream(request)[Symbol.asyncIterator]()
  await outer.next()
  await read(near)
  expect(calls).toEqual(['resume', 'pause'])
  await outer.return?.()
  expect(await cost.close()).toMatchObject({ requests: 3, promptTokens: 300, energy: { wattHours: 0.5 } })
})
