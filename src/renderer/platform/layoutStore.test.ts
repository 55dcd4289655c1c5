import { describe, expect, it } from 'vitest'
import { firstLayout, startSizes } from './layoutStore.ts'

describe('the first layout', () => {
  it('shows the side bar where there is room for it', () => {
    expect(firstLayout(1280).sideBar.visible).toBe(true)
    expect(firstLayout(1024)).toMatchObject({ sideBar: { visible: false }, chat: { visible: true } })
  })

  it('leaves the most to the editor in a narrow window', () => {
    const { side, chat } = startSizes(1024)
    expect(1024 - 48 - side - chat).toBeGreaterThan(Math.max(side, chat))
    expect(startSizes(1920)).toEqual({ side: 260, chat: 400 })
  })
})
