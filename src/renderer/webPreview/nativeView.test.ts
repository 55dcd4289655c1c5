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

let area: HTMLElement
let stage: HTMLElement
beforeEach(() => {
  area = add('<div></div>', [400, 100, 600, 500])
  stage = add('<div></div>', [400, 100, 600, 500])
})
afterEach(() => {
  document.body.innerHTML = ''
})

it('a page with nothing above it is not covered', () => {
  expect(isCoveredNow(stage, area)).toBe(false)
})

it.each(['<div popover></div>', '<div class="quick-shade"></div>', '<div class="notice-list"></div>'])(
  '%s covers the page that it lies above',
  (html) => {
    add(html, [300, 50, 200, 100])
    expect(isCoveredNow(stage, area)).toBe(true)
  },
)

it('a menu beside the page, and a hidden one above it, do not cover it', () => {
  add('<div popover></div>', [0, 50, 200, 300])
  add('<div popover style="display: none"></div>', [450, 150, 200, 100])
  expect(isCoveredNow(stage, area)).toBe(false)
})

it('a modal dialog covers the page anywhere, because the rest of the window must look inactive', () => {
  add('<dialog open></dialog>', [0, 0, 100, 100])
  expect(isCoveredNow(stage, area)).toBe(true)
})

it('a page that is larger than its tab is shown in pictures, because a view is never cut off', () => {
  stage.getBoundingClientRect = () => new DOMRect(400, 100, 600, 844)
  expect(isCoveredNow(stage, area)).toBe(true)
})
