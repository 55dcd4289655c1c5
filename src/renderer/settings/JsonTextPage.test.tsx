import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { pageSave } from '../platform/layout/pages.tsx'
import { JsonTextPage } from './JsonTextPage.tsx'

const tabId = 'page:test'
const uri = 'tizona-test:/settings.json'

// Without workers. jsdom has no layout, so the editor is only what holds the model.
vi.mock('../platform/editor/monaco/monaco.ts', async () => {
  const { Uri, editor } = await import('monaco-editor/editor/editor.api')
  const create = (_: HTMLElement, { model }: { model: monaco.editor.ITextModel }) => {
    let shown: monaco.editor.ITextModel | null = model
    return {
      getModel: () => shown,
      focus: () => {},
      updateOptions: () => {},
      dispose: () => (shown = null),
    }
  }
  return { monaco: { Uri, editor: { getModel: editor.getModel, createModel: editor.createModel, create } } }
})
vi.mock('./settingsSchemas.ts', () => ({
  registerSettingsSchemas: async () => {},
  registerUserFileSchemas: async () => {},
}))

const save = async () => pageSave(tabId)?.()

beforeEach(() => localStorage.clear())
afterEach(cleanup)

async function open(stored: string, write: (text: string, base: string) => Promise<unknown>) {
  const read = async () => stored
  render(
    <JsonTextPage tabId={tabId} title="Test" uri={uri} read={read} write={write}>
      Text
    </JsonTextPage>,
  )
  await screen.findByRole('region', { name: 'Test' })
  const model = monaco.editor.getModel(monaco.Uri.parse(uri))
  if (!model) return expect.unreachable()
  const type = (text: string) =>
    act(async () => void model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null))
  return { model, type }
}

it('a draft of another window is saved with the stored text that it began with', async () => {
  const write = vi.fn(async () => undefined)
  const first = await open('old', write)
  await waitFor(() => expect(first.model.getValue()).toBe('old'))
  cleanup()
  localStorage.setItem(`tizona.draft.${tabId}`, 'new and mine')
  localStorage.setItem(`tizona.draftBase.${tabId}`, 'new')
  await open('new', write)
  await act(() => save())
  expect(write).toHaveBeenCalledWith('new and mine', 'new', false)
})

it('text that the user types during a save begins with the text that was saved', async () => {
  let typing = async () => {}
  const write = vi.fn(async () => typing())
  const { model, type } = await open('old', write)
  await waitFor(() => expect(model.getValue()).toBe('old'))
  await type('first')
  typing = async () => type('second')
  await act(() => save())
  typing = async () => {}
  await act(() => save())
  expect(write.mock.calls).toEqual([
    ['first', 'old', false],
    ['second', 'first', false],
  ])
  expect(localStorage.getItem(`tizona.draft.${tabId}`)).toBeNull()
})
