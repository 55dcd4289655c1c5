import { afterEach, beforeEach, expect, it } from 'vitest'
import { isCoveredNow } from './nativeView.ts'

/** Adds an element with a position, which the DOM of unit tests does not compute. */
function add(html: string, box: [x: number, y: number, width: number, height: number]): HTMLElement {
  document.body.insertAdjacentHTML('beforeend', html)
  const element = document.body.lastElementChild as HTMLElement
  element.getBoundingClientRect = () => new DOMRect(...box)
  element.checkVisibility = () => element.style.display !== 'none'
  return element
}

let body: HTMLElement
let stage: HTMLElement
beforeEach(() => {
  body = add('<div style="overflow: auto"></div>', [0, 50, 1000, 600])
  const area = add('<div style="overflow: auto"></div>', [400, 100, 600, 500])
  stage = add('<div></div>', [400, 100, 600, 500])
  body.append(area)
  area.append(stage)
})
afterEach(() => {
  document.body.innerHTML = ''
})

it('a page with nothing above it is not covered', () => {
  expect(isCoveredNow(stage)).toBe(false)
})

it.each(['<div popover></div>', '<div class="quick-shade"></div>', '<div class="notice-list"></div>'])(
  '%s covers the page that it lies above',
  (html) => {
    add(html, [300, 50, 200, 100])
    expect(isCoveredNow(stage)).toBe(true)
  },
)

it('a menu beside the page, and a hidden one above it, do not cover it', () => {
  add('<div popover></div>', [0, 50, 200, 300])
  add('<div popover style="display: none"></div>', [450, 150, 200, 100])
  expect(isCoveredNow(stage)).toBe(false)
})

it('a modal dialog covers the page anywhere, because the rest of the window must look inactive', () => {
  add('<dialog open></dialog>', [0, 0, 100, 100])
  expect(isCoveredNow(stage)).toBe(true)
})

it('a page that is larger than its tab is shown in pictures, because a view is never cut off', () => {
  stage.getBoundingClientRect = () => new DOMRect(400, 100, 600, 844)
  expect(isCoveredNow(stage)).toBe(true)
})

it('a page that is scrolled away by a part around its tab is shown in pictures', () => {
  body.getBoundingClientRect = () => new DOMRect(0, 50, 900, 600)
  expect(isCoveredNow(stage)).toBe(true)
  body.style.overflow = 'visible'
  expect(isCoveredNow(stage)).toBe(false)
})

it('a page below the activity bar, which stays while the window scrolls sideways, is shown in pictures', () => {
  add('<nav class="activitybar"></nav>', [0, 50, 400, 600])
  expect(isCoveredNow(stage)).toBe(false)
  add('<nav class="activitybar"></nav>', [0, 50, 448, 600])
  expect(isCoveredNow(stage)).toBe(true)
})

it.each([
  [-20, 100, 600, 500],
  [400, 100, 0, 500],
])('a page where no view can be placed (%d, %d, %d, %d) is shown in pictures', (...box) => {
  document.body.append(stage)
  stage.getBoundingClientRect = () => new DOMRect(...box)
  expect(isCoveredNow(stage)).toBe(true)
})
