import { expect, it } from 'vitest'
import './zodConfig.ts'

it('zod compiles no functions from text', async () => {
  const { config } = await import('zod')
  expect(config()).toMatchObject({ jitless: true })
})
