import { beforeEach, expect, it } from 'vitest'
import { defaultLayout, useLayout } from '../platform/layout/layoutStore.ts'
import { instructions, rememberInstruction } from './instructionHistory.ts'

beforeEach(() => useLayout.setState(defaultLayout, true))

it('is part of the layout, which a reload restores; an instruction that is sent again moves to the end', () => {
  for (const text of ['one', 'two', 'one']) rememberInstruction(text)
  expect(useLayout.getState().inlineEdit).toEqual({ instructions: ['two', 'one'] })
  expect(instructions()).toEqual(['two', 'one'])
})

it('has the latest 100 instructions, without very long ones', () => {
  for (let index = 0; index < 120; index += 1) rememberInstruction(`edit ${index}`)
  rememberInstruction('x'.repeat(6_000))
  expect(instructions()).toHaveLength(100)
  expect(instructions().at(-1)).toBe('edit 119')
})
