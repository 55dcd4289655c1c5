import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { QuickPick } from './QuickPick.tsx'
import { quickPick, updateQuickPick, useQuickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'

afterEach(cleanup)

it('Enter before the results arrive chooses the best result when they arrive', async () => {
  const answers = new Map<string, PromiseWithResolvers<readonly QuickPickItem[]>>()
  render(<QuickPick />)
  let picked: Promise<QuickPickItem | null> | undefined
  act(() => {
    picked = quickPick({
      title: 'Go to file',
      items: (query) => {
        const answer = Promise.withResolvers<readonly QuickPickItem[]>()
        answers.set(query, answer)
        return answer.promise
      },
    })
  })
  const box = screen.getByRole('combobox')
  await act(async () => answers.get('')?.resolve([{ id: 'recent', label: 'recent.txt' }]))
  fireEvent.change(box, { target: { value: 'a' } })
  fireEvent.keyDown(box, { key: 'Enter' })
  await act(async () => answers.get('a')?.resolve([{ id: 'a', label: 'a.txt' }]))
  expect((await picked)?.id).toBe('a')
})

it('a filtered group keeps its heading', () => {
  render(<QuickPick />)
  act(
    () =>
      void quickPick({
        title: 'Model',
        items: [
          { id: '1', label: 'gemma', heading: 'Workstation' },
          { id: '2', label: 'qwen' },
          { id: '3', label: 'phi', heading: 'Laptop' },
        ],
      }),
  )
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'qwen' } })
  expect(screen.getByText('Workstation')).toBeTruthy()
  expect(screen.queryByText('Laptop')).toBeNull()
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'laptop' } })
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['phi'])
})

it('the highlighted item stays so when items are added before it', () => {
  render(<QuickPick />)
  const items = ['b', 'c', 'd'].map((id) => ({ id, label: `item ${id}` }))
  act(() => void quickPick({ title: 'Items', items }))
  const highlighted = () => screen.getByRole('option', { selected: true }).textContent
  expect(highlighted()).toBe('item b')
  act(() => updateQuickPick('Items', [{ id: 'a', label: 'item a' }, ...items]))
  expect(highlighted()).toBe('item b')
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'ArrowDown' })
  expect(highlighted()).toBe('item c')
  act(() => updateQuickPick('Items', items))
  expect(highlighted()).toBe('item c')
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'item' } })
  expect(highlighted()).toBe('item b')
})

it('the current item is highlighted also if it arrives later, and a key that moves nothing keeps the highlight', () => {
  render(<QuickPick />)
  const items = [{ id: 'b', label: 'item b' }]
  act(() => void quickPick({ title: 'Items', items }))
  const highlighted = () => screen.getByRole('option', { selected: true }).textContent
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'PageUp' })
  act(() => updateQuickPick('Items', [{ id: 'a', label: 'item a' }, ...items]))
  expect(highlighted()).toBe('item b')
  act(() => useQuickPick.getState().open?.answer(null))
  act(() => void quickPick({ title: 'Models', items }))
  act(() => updateQuickPick('Models', [...items, { id: 'now', label: 'current one', current: true }]))
  expect(highlighted()).toBe('current one')
})

it('a picker that was replaced does not close the one that replaced it', async () => {
  const first = quickPick({ title: 'First', items: [] })
  const answerFirst = useQuickPick.getState().open?.answer
  const second = quickPick({ title: 'Second', items: [] })
  answerFirst?.(null)
  expect(await first).toBeNull()
  expect(useQuickPick.getState().open?.options.title).toBe('Second')
  useQuickPick.getState().open?.answer(null)
  expect(await second).toBeNull()
  expect(useQuickPick.getState().open).toBeNull()
})

it('marks the letters of a query in results that a function returns', async () => {
  render(<QuickPick />)
  act(
    () =>
      void quickPick({
        title: 'Go to',
        matched: (query) => query.replace(/:.*/, ''),
        items: async () => [{ id: 'a', label: 'main.ts', description: 'src' }],
      }),
  )
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'src/ma:3' } })
  await vi.waitFor(() => {
    const row = screen.getByRole('option')
    expect([...row.querySelectorAll('b')].map(({ textContent }) => textContent)).toEqual(['ma', 'src'])
  })
})
