import { describe, expect, it } from 'vitest'
import { initialLayout, initialSizes } from './layoutStore.ts'

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
