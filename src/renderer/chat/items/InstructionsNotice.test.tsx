import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { InstructionsItem } from '../../../shared/agent/conversation.ts'
import { testMain } from '../../testing/testMain.ts'
import { InstructionsNotice } from './InstructionsNotice.tsx'

beforeEach(() => void testMain())
afterEach(cleanup)

const item: InstructionsItem = {
  id: 't',
  kind: 'instructions',
  at: 1,
  start: true,
  text: 'Use tabs.',
  sources: [
    { kind: 'instructions', id: 'user:AGENTS.md', label: 'Your own AGENTS.md', characters: 12 },
    {
      kind: 'instructions',
      id: 'AGENTS.md',
      label: 'AGENTS.md',
      path: 'AGENTS.md',
      characters: 9,
      note: '2 invisible characters removed',
    },
  ],
}

describe('the notice about instructions', () => {
  it('lists every source, links to workspace files and shows what was truncated', () => {
    render(<InstructionsNotice item={item} />)
    expect(screen.getByRole('button', { name: 'AGENTS.md' }).title).toContain('2 invisible characters removed')
    expect(screen.queryByRole('button', { name: 'Your own AGENTS.md' })).toBeNull()
    expect(screen.getByText('Your own AGENTS.md')).toBeTruthy()
  })

  it('shows the text when expanded', () => {
    render(<InstructionsNotice item={item} />)
    expect(screen.queryByText('Use tabs.')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Instructions' }))
    expect(screen.getByText('Use tabs.')).toBeTruthy()
  })
})
