import { expect, test } from 'vitest'
import { createRequestActivity } from './requestActivity.ts'

const open = new AbortController().signal

test('background work continues when the running request has ended', async () => {
  const activity = createRequestActivity()
  const gate = Promise.withResolvers<void>()
  const events: string[] = []
  const request = activity.run(async () => {
    await gate.promise
    events.push('request')
  })
  const quiet = activity.quiet(1, 60_000, open).then(() => events.push('background'))
  gate.resolve()
  await Promise.all([request, quiet])
  expect(events).toEqual(['request', 'background'])
})

test('background work continues after the maximum wait, or when it is closed', async () => {
  const activity = createRequestActivity()
  const gate = Promise.withResolvers<void>()
  const request = activity.run(() => gate.promise)
  const closing = new AbortController()
  const closed = activity.quiet(1, 60_000, closing.signal)
  await activity.quiet(60_000, 1, open)
  closing.abort()
  await closed
  gate.resolve()
  await request
})

test('a failed request has ended', async () => {
  const activity = createRequestActivity()
  await expect(activity.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  await activity.quiet(0, 60_000, open)
})
