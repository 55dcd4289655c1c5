import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { confirm, useConfirm, type ConfirmChoice } from '../platform/confirm.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'

afterEach(() => {
  act(() => useConfirm.setState({ pending: null }))
  cleanup()
})

function ask(choice: ConfirmChoice<string>): void {
  render(<ConfirmDialog />)
  act(() => void confirm({ title: 'Sure?', message: 'Really.', choices: [choice] }))
}

it('a dangerous confirmation focuses Cancel', () => {
  ask({ id: 'delete', label: 'Delete', variant: 'danger' })
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
})

it('a harmless confirmation focuses its main choice', () => {
  ask({ id: 'save', label: 'Save', variant: 'primary' })
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Save' }))
})
