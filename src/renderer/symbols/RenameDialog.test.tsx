import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RenamePlan } from '../../shared/language/symbolRename.ts'
import { RenameDialog } from './RenameDialog.tsx'
import { previewRename, useRename, type RenameSelection } from './renameStore.ts'

const plan: RenamePlan = {
  name: 'hash',
  newName: 'digest',
  files: [
    {
      path: 'hash.ts',
      textHash: '',
      occurrences: [
        { line: 1, column: 17, kind: 'definition', lineText: 'export function hash() {}', replacement: 'digest' },
      ],
    },
    {
      path: 'notes.md',
      textHash: '',
      occurrences: [{ line: 3, column: 3, kind: 'mention', lineText: 'A hash.', replacement: 'digest' }],
    },
  ],
  taken: [],
  moreMentions: 0,
}

beforeEach(() => {
  // The test DOM has no modal dialogs.
  HTMLDialogElement.prototype.showModal ??= function show(this: HTMLDialogElement) {
    this.open = true
  }
})
afterEach(() => {
  act(() => useRename.getState().pending?.answer(null))
  cleanup()
})

function show(change: Partial<RenamePlan> = {}): Promise<RenameSelection> {
  render(<RenameDialog />)
  let answer!: Promise<RenameSelection>
  act(() => {
    answer = previewRename({ ...plan, ...change })
  })
  return answer
}
const dialog = () => within(screen.getByRole('dialog', { name: 'Rename hash to digest', hidden: true }))
const button = (name: string) => dialog().getByRole<HTMLButtonElement>('button', { name, hidden: true })
const box = (name: RegExp) => dialog().getByRole<HTMLInputElement>('checkbox', { name, hidden: true })
const total = () => dialog().getByRole('status', { hidden: true }).textContent

describe('the rename preview', () => {
  it('selects certain occurrences, and leaves mentions to the user', async () => {
    const answer = show()
    expect([total(), box(/export function/).checked, box(/A hash/).checked]).toEqual([
      '1 occurrence in 1 file',
      true,
      false,
    ])
    fireEvent.click(box(/^notes\.md$/))
    expect(total()).toBe('2 occurrences in 2 files')
    fireEvent.click(button('Rename'))
    expect(await answer).toEqual(new Set(['hash.ts:1:17', 'notes.md:3:3']))
  })

  it('shows the old and the new name in their line', () => {
    void show()
    const line = box(/export function/).closest('label')
    expect([line?.querySelector('del')?.textContent, line?.querySelector('ins')?.textContent]).toEqual([
      'hash',
      'digest',
    ])
  })

  it('disables Rename without a selection, and Cancel renames nothing', async () => {
    const answer = show()
    fireEvent.click(box(/^hash\.ts$/))
    expect(button('Rename').disabled).toBe(true)
    fireEvent.click(button('Cancel'))
    expect(await answer).toBeNull()
    expect(screen.queryByRole('dialog', { hidden: true })).toBeNull()
  })

  it('warns about files that use the new name, and about mentions that are not listed', () => {
    void show({ taken: ['a.ts', 'b.ts', 'c.ts', 'd.ts'], moreMentions: 1 })
    expect(dialog().getByText(/is already used in/).textContent).toContain('a.ts, b.ts, c.ts, and 1 more.')
    expect(dialog().getByText(/more mention/).textContent).toBe('1 more mention of the name not listed.')
  })
})
