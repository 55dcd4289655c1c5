import { expect, test } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { createInlineEditing } from './inlineModels.ts'

test('the lines of a secret file are sent to no model', async () => {
  const asked: string[] = []
  const edits = createInlineEditing({
    settings: () => settingsSchema.parse({}),
    endpoints: { model: async () => expect.fail(`${asked.push('model')}`) },
    places: () => shippedPlaceRules,
    current: () => expect.fail('No instructions are read.'),
    services: () => ({ workspace: { resolve: async (path: string) => ({ relative: path }) } }) as never,
    modelOf: () => ({ endpointId: 'e', model: 'm' }),
    emit: () => undefined,
  })
  const edit = { id: '1', path: '.env', line: 1, lines: ['KEY=1'], selection: ['KEY=1'], instruction: 'Rename it.' }
  await expect(edits.run(edit as never, new AbortController().signal)).rejects.toMatchObject({
    code: 'approval_required',
    message: expect.stringContaining('.env'),
  })
  expect(asked).toEqual([])
})
