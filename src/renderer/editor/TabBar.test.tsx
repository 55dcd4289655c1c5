import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { insertAtCursor } from './openTab.ts'
import { emptyTabs, fileTab, pageTab } from '../platform/editor/tabsState.ts'
import { showTab, useTabs } from '../platform/editor/tabsStore.ts'
import { TabBar } from './TabBar.tsx'
import { viewChanged, registerView } from '../platform/editor/editorViews.ts'

const focus = vi.fn()
const replace = vi.fn()
let lineText = ''
let unregister = (): void => undefined

function Bars() {
  const { groups, activeGroup } = useTabs()
  return groups.map((group) => <TabBar key={group.id} group={group} active={group.id === activeGroup} />)
}

beforeEach(() => {
  focus.mockReset()
  replace.mockReset()
  useTabs.setState(emptyTabs, true)
  for (const path of ['a', 'b', 'c']) showTab(fileTab(path))
  const range = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }
  unregister = registerView(1, {
    // Like Monaco: shows the active file, and nothing while a page covers it.
    path: () => {
      const { active } = useTabs.getState().groups[0] ?? {}
      return active?.startsWith('file:') ? active.slice(5) : null
    },
    cursor: () => ({ line: 1, column: 1 }),
    selection: () => ({ ...range, text: '' }),
    hasSelection: () => false,
    goTo: (position) => position,
    select: () => undefined,
    replace,
    focus,
    runAction: () => undefined,
    actions: () => [],
    lineText: () => lineText,
  })
})
afterEach(() => {
  cleanup()
  unregister()
})

const tab = (name: string) => screen.getByRole('tab', { name })
const open = () => useTabs.getState().groups[0]?.tabs.map(({ id }) => id)

describe('a tab', () => {
  it('focuses its text when clicked with the pointer', async () => {
    render(<Bars />)
    fireEvent.click(tab('a'), { detail: 1 })
    await waitFor(() => expect(focus).toHaveBeenCalledOnce())
    expect(tab('a').getAttribute('aria-selected')).toBe('true')
  })

  it('is scrolled into view with its close button', () => {
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => undefined)
    render(<Bars />)
    act(() => showTab(fileTab('b')))
    const close = screen.getByRole('button', { name: 'Close b' })
    const whole = tab('b').parentElement
    expect(whole?.contains(close)).toBe(true)
    expect(scrolled.mock.contexts.at(-1)).toBe(whole)
    scrolled.mockRestore()
  })

  it('keeps the focus when reached with an arrow key', async () => {
    render(<Bars />)
    tab('c').focus()
    fireEvent.keyDown(tab('c'), { key: 'Home' })
    await act(async () => viewChanged())
    expect(document.activeElement).toBe(tab('a'))
    expect(tab('a').getAttribute('aria-selected')).toBe('true')
    expect(focus).not.toHaveBeenCalled()
  })

  it('of a preview is announced as one, and kept after a double click', () => {
    act(() => showTab(fileTab('p'), undefined, { preview: true }))
    render(<Bars />)
    fireEvent.doubleClick(tab('p (preview)'))
    expect(tab('p').closest('.editor-tab')?.getAttribute('data-preview')).toBe('false')
  })

  it('ignores keys with a modifier', async () => {
    render(<Bars />)
    fireEvent.keyDown(tab('a'), { key: 'Delete', ctrlKey: true })
    fireEvent.keyDown(tab('a'), { key: 'End', ctrlKey: true })
    fireEvent.keyDown(tab('a'), { key: 'Home', altKey: true })
    await act(async () => viewChanged())
    expect(open()).toEqual(['file:a', 'file:b', 'file:c'])
    expect(tab('c').getAttribute('aria-selected')).toBe('true')
  })
})

it('a block inserted at the start of a line is not joined with the text of the line', async () => {
  lineText = 'existing'
  showTab(fileTab('a'))
  insertAtCursor('block')
  await waitFor(() => expect(replace).toHaveBeenCalledWith(expect.anything(), 'block\n'))
  insertAtCursor('ended\n')
  await waitFor(() => expect(replace).toHaveBeenCalledWith(expect.anything(), 'ended\n'))
  lineText = ''
})

it('inserting at the cursor uses the last file when a page covers it', async () => {
  showTab(fileTab('a'))
  showTab(pageTab('settings'))
  insertAtCursor('text')
  await waitFor(() => expect(replace).toHaveBeenCalledWith(expect.anything(), 'text'))
  expect(useTabs.getState().groups[0]?.active).toBe('file:a')
})
