import { expect, onTestFinished, test } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { createEventHub } from '../appServices/eventHub.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createApprovals } from './approvals.ts'

test('a call that needs approval is on its card and in a notification until it is decided, and in the log afterwards', async () => {
  const { root: userData, remove } = await temporaryFolder()
  onTestFinished(remove)
  const seen: string[] = []
  const commands: unknown[] = []
  let click = () => {}
  const events = createEventHub(false)
  events.subscribe((name, payload) => name === 'command' && commands.push(payload))
  const settings = settingsSchema.parse({})
  const requested = Promise.withResolvers<string>()
  const { gate, audit } = createApprovals({
    platform: {
      userData,
      notifyInBackground({ onClick }) {
        seen.push('notified')
        click = onClick
        return () => void seen.push('notification closed')
      },
    },
    settings: { get: () => settings, rulesProblem: () => undefined } as never,
    events,
    places: () => shippedPlaceRules,
    workspaces: { session: () => undefined, current: () => expect.fail('No folder is open.') },
    agent: () => ({
      approvalRequested(request) {
        seen.push('on the card')
        requested.resolve(request.id)
      },
      approvalResolved: () => void seen.push('off the card'),
    }),
  })
  const decision = gate.check(
    {
      callId: 'call',
      conversationId: 'talk',
      tool: 'write_file',
      title: 'Write file',
      risk: 'write',
      mode: 'paranoid',
      arguments: { path: 'a.txt' },
      writes: ['a.txt'],
      attended: true,
    },
    new AbortController().signal,
  )
  const id = await requested.promise
  expect(seen).toEqual(['on the card', 'notified'])
  click()
  expect(commands).toEqual([{ id: 'approval.focus', argument: id }])
  gate.decide(id, { kind: 'once' })
  expect(await decision).toMatchObject({ kind: 'allow' })
  expect(seen.slice(2)).toEqual(['off the card', 'notification closed'])
  await audit.flush()
  expect(await audit.read()).toMatchObject({ entries: [{ tool: 'write_file' }] })
})
