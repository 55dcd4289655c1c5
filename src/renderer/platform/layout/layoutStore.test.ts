import { describe, expect, it } from 'vitest'
import { defaultLayout, initialLayout, initialSizes, visiblePanels } from './layoutStore.ts'

describe('the first layout', () => {
  it('shows the side bar in a wide window', () => {
    expect(initialLayout(1280).sideBar.visible).toBe(true)
    expect(initialLayout(1024)).toMatchObject({ sideBar: { visible: false }, chat: { visible: true } })
  })

  it('gives most of a narrow window to the editor', () => {
    const { side, chat } = initialSizes(1024)
    expect(1024 - 48 - side - chat).toBeGreaterThan(Math.max(side, chat))
    expect(initialSizes(1920)).toEqual({ side: 260, chat: 400 })
  })
})

describe('side panels', () => {
  const open = { ...defaultLayout, sideBar: { visible: true, view: 'search' as const }, chat: { visible: true } }

  it('are both shown where they fit', () => {
    expect(visiblePanels({ ...open, front: null }, { narrow: false })).toEqual({ sideBar: true, chat: true })
  })

  it('are shown one at a time in a narrow window', () => {
    expect(visiblePanels({ ...open, front: 'sideBar' }, { narrow: true })).toEqual({ sideBar: true, chat: false })
    expect(visiblePanels({ ...open, front: 'chat' }, { narrow: true })).toEqual({ sideBar: false, chat: true })
    expect(visiblePanels({ ...open, front: null }, { narrow: true })).toEqual({ sideBar: false, chat: false })
  })

  it('stay hidden after they were closed', () => {
    const closed = { ...open, chat: { visible: false } }
    expect(visiblePanels({ ...closed, front: 'chat' }, { narrow: true })).toEqual({ sideBar: false, chat: false })
    expect(visiblePanels({ ...closed, front: 'chat' }, { narrow: false })).toEqual({ sideBar: true, chat: false })
  })
})
