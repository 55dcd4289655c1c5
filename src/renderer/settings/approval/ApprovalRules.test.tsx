import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ApprovalRule } from '../../../shared/tools/approvalRules.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { SettingFields } from '../SettingFields.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
})
afterEach(cleanup)

const make: ApprovalRule = { decision: 'allow', match: 'prefix', pattern: 'make', folder: null }
const push: ApprovalRule = { decision: 'deny', match: 'prefix', pattern: 'git push', folder: '/work/app' }
const show = (rules: ApprovalRule[]) =>
  render(<SettingFields group="approval" settings={settingsSchema.parse({ approval: { rules } })} />)
const saved = () =>
  main.requests
    .filter(({ method }) => method === 'settings.set')
    .map(({ params }) => (params as { approval: { rules: ApprovalRule[] } }).approval.rules)

it('lists each rule with its decision, pattern and folder', () => {
  show([make, push])
  const rows = within(screen.getByRole('list', { name: 'Your rules' })).getAllByRole('listitem')
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'Allowmake …Starts with',
    'Denygit push …Starts with · Folder: /work/app',
  ])
})

it('adds, changes and removes a rule and keeps the others', async () => {
  show([make, push])
  fireEvent.click(screen.getByRole('button', { name: 'Add rule' }))
  fireEvent.change(screen.getByLabelText('Decision'), { target: { value: 'ask' } })
  fireEvent.change(screen.getByLabelText('Command'), { target: { value: ' npm publish ' } })
  fireEvent.click(screen.getByRole('button', { name: 'Add' }))
  await waitFor(() =>
    expect(saved()).toEqual([[make, push, { decision: 'ask', match: 'prefix', pattern: 'npm publish', folder: null }]]),
  )

  fireEvent.click(screen.getByRole('button', { name: 'Edit the rule for git push' }))
  fireEvent.change(screen.getByLabelText('Decision'), { target: { value: 'ask' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save rule' }))
  await waitFor(() => expect(saved().at(-1)).toEqual([make, { ...push, decision: 'ask' }]))

  fireEvent.click(screen.getByRole('button', { name: 'Remove the rule for make' }))
  await waitFor(() => expect(saved().at(-1)).toEqual([push]))
})

it.each([
  ['prefix', 'ls | wc', 'Enter words without quotes and operators, or choose "Exact line".'],
  ['prefix', 'npm run <name>', 'Choose "Argument form" for patterns with <path>, <name>, <number> or <word>.'],
  ['form', '<word> x', 'Start the pattern with a program name.'],
  ['exact', ' ', 'Enter a command.'],
])('does not save a rule that could never match: %s %s', (match, pattern, problem) => {
  show([])
  fireEvent.click(screen.getByRole('button', { name: 'Add rule' }))
  fireEvent.change(screen.getByLabelText('Match'), { target: { value: match } })
  fireEvent.change(screen.getByLabelText('Command'), { target: { value: pattern } })
  fireEvent.click(screen.getByRole('button', { name: 'Add' }))
  expect(screen.getByRole('alert').textContent).toBe(problem)
  expect(saved()).toEqual([])
})
