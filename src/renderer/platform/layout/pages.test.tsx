import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { focusTabContent, tabPanelId, useTabs } from '../editor/tabsStore.ts'
import { takePageFocus } from './pages.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function Panel({ loaded }: { loaded: boolean }) {
  return (
    <>
      <button>Tab</button>
      <div role="tabpanel" id={tabPanelId(useTabs.getState().activeGroup)} tabIndex={-1}>
        {loaded && <input ref={takePageFocus} data-autofocus />}
      </div>
    </>
  )
}

/** Opens the page of a tab and waits for the two frames after which it has the focus. */
function open(): void {
  vi.useFakeTimers()
  focusTabContent()
  vi.runAllTimers()
}

it('a page that opens focuses its search field', () => {
  render(<Panel loaded />)
  open()
  expect(document.activeElement).toBe(screen.getByRole('textbox'))
})

it('the search field of a page that is still loading takes the focus when it appears', () => {
  const { rerender } = render(<Panel loaded={false} />)
  open()
  expect(document.activeElement).toBe(screen.getByRole('tabpanel'))
  rerender(<Panel loaded />)
  expect(document.activeElement).toBe(screen.getByRole('textbox'))
})

it('the search field of a page that appears while the tab has the focus leaves it there', () => {
  const { rerender } = render(<Panel loaded={false} />)
  screen.getByRole('button').focus()
  rerender(<Panel loaded />)
  expect(document.activeElement).toBe(screen.getByRole('button'))
})
