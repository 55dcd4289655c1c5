import { expect, onTestFinished, test } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { createEventHub } from '../appServices/eventHub.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { allFeatures } from '../base/features.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import { openTemporaryStore } from '../testing/conversationStore.ts'
import { createAgentServices } from './agent.ts'

const never = new AbortController().signal

test('without a folder there are no conversations and no calls, and a tool that is turned off is refused first', async () => {
  const { opened, close } = await openTemporaryStore()
  onTestFinished(close)
  const settings = settingsSchema.parse({ disabledTools: { blade: ['write_file'] } })
  const { agent, executor } = createAgentServices({
    data: {
      db: opened.db,
      sessions: { value: { sessions: [] } } as never,
      settings: { get: () => settings, applied: async () => undefined } as never,
    },
    places: () => shippedPlaceRules,
    workspaces: {
      session: () => undefined,
      current() {
        throw new ToolError('no_workspace', 'No folder is open.', 'Open one.')
      },
    },
    events: createEventHub(false),
    endpoints: { defaultModel: () => undefined, cachedStatuses: () => [] } as unknown as Endpoints,
    approvals: { gate: {} as never, outside: {} as never },
    outside: {
      connections: {} as never,
      serverTools: { list: () => [], isOff: () => false } as never,
      toolsReady: async () => [],
    },
    windowed: false,
    attended: false,
    features: allFeatures,
  })
  expect(() => agent.create({ title: 'Talk' })).toThrow('No folder is open.')

  const call = async (name: string, args: object) =>
    (
      await executor.call({
        callId: name,
        name,
        arguments: args,
        toolset: 'blade',
        mode: 'yolo',
        attended: false,
        signal: never,
      })
    ).error?.code
  expect(await call('read_file', { path: 'a.txt' })).toBe('no_workspace')
  expect(await call('write_file', { path: 'a.txt', content: '' })).toBe('switched_off')
})
