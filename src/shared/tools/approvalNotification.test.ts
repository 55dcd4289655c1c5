import { expect, it } from 'vitest'
import { approvalNotification } from './approvalNotification.ts'

it('shows the start of a command of any length, with its hidden characters', () => {
  const { body } = approvalNotification({ title: 'Run a command', command: `ls\u00a0\u202e${'x'.repeat(1_000_000)}` })
  expect(body).toMatch(/^ls\\u00a0\\u202ex+…$/)
  expect(body).toHaveLength(201)
  expect(approvalNotification({ title: 'Run a command', command: 'ls' }).body).toBe('ls')
})
