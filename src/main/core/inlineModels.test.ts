import { expect, test } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { outsidePath } from '../../shared/files/outsideFiles.ts'
import { noFigures } from '../completion/completionFigures.ts'
import { createInlineCompletion, createInlineEditing } from './inlineModels.ts'

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

test('a file outside the folder is completed by no model, and is no failure', async () => {
  const seen: string[] = []
  const settings = settingsSchema.parse({ completion: { enabled: true, model: { endpointId: 'e', model: 'm' } } })
  const inline = createInlineCompletion({
    data: {
      settings: { get: () => settings, onChanged: () => () => undefined },
      completionFigures: { value: noFigures, update: () => Promise.resolve() },
    },
    endpoints: { suggestionAccess: () => expect.fail('A model was asked.'), onForgotten: () => () => undefined },
    places: () => shippedPlaceRules,
    workspaces: { session: () => ({ workspace: { resolve: () => expect.fail('The path was looked up.') } }) },
    emit: (name: string) => seen.push(name),
    warn: (message: string) => seen.push(message),
  } as never)
  const key = { id: '1', path: outsidePath('/home/ada/notes.txt'), line: 1, before: 'const total', after: '\n' }
  expect(await inline.completions.suggest(key as never, new AbortController().signal)).toBeNull()
  expect(seen).toEqual([])
  await inline.close()
})
