import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { focusAfterRender, focusChangeCount, focusRegionNamed, followFocus } from './focusRegions.ts'

let stop: () => void

function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`no element ${id}`)
  return found
}

/** Removes an element as Chromium does: it fires `focusout`, which the DOM of the tests does not. */
function remove(id: string, removed = element(id)): void {
  const { activeElement } = document
  const held = removed.contains(activeElement)
  if (held) activeElement?.dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
  if (held && activeElement instanceof HTMLElement) activeElement.blur()
  removed.remove()
}

beforeEach(() => {
  vi.useFakeTimers()
  // Layout is missing in the DOM of the tests.
  HTMLElement.prototype.checkVisibility = function () {
    return !this.closest('[hidden]')
  }
  document.body.innerHTML = `
    <main data-region="editor"><textarea id="text"></textarea><button id="tab"></button></main>
    <aside data-region="side-bar"><button id="refresh"></button><ul><li id="row"><button id="discard"></button></li></ul></aside>
    <section data-region="notices" id="notices"><button id="dismiss"></button></section>`
  stop = followFocus()
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  document.body.innerHTML = ''
})

it('a removed control returns the focus to the one before it in the same region', () => {
  element('refresh').focus()
  element('text').focus()
  element('discard').focus()
  remove('row')
  expect(document.activeElement).toBe(document.body)
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('refresh'))
})

it('a removed control gives the focus to one beside it if the one before is scrolled out of view', () => {
  const bar = element('row').closest('aside') ?? document.body
  Object.defineProperty(bar, 'scrollHeight', { value: 900 })
  bar.getBoundingClientRect = () => new DOMRect(0, 100, 200, 300)
  element('refresh').getBoundingClientRect = () => new DOMRect(0, -500, 20, 20)
  const group = bar.appendChild(document.createElement('div'))
  group.innerHTML = '<p><input id="name"></p><button id="add"></button>'
  element('refresh').focus()
  element('name').focus()
  remove('name', element('name').parentElement ?? undefined)
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('add'))
})

it('a closed region returns the focus to the region before it', () => {
  element('text').focus()
  element('dismiss').focus()
  remove('notices')
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('text'))
})

it('a control that is disabled loses the focus to the one before it', () => {
  element('refresh').focus()
  element('discard').focus()
  element('discard').blur()
  element('discard').setAttribute('disabled', '')
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('refresh'))
})

it('code that moves the focus after a removal wins', () => {
  element('refresh').focus()
  element('discard').focus()
  remove('row')
  element('tab').focus()
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('tab'))
})

it('a click beside all controls takes the focus from a control that is still there', () => {
  element('refresh').focus()
  element('refresh').blur()
  vi.runAllTimers()
  expect(document.activeElement).toBe(document.body)
})

it('a panel that cannot be focused any more returns the focus, and does not get it again', () => {
  const panel = element('row')
  element('refresh').focus()
  panel.tabIndex = -1
  panel.focus()
  panel.blur()
  panel.removeAttribute('tabindex')
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('refresh'))
})

it('a view that covers the text of a group takes its focus, instead of another group', () => {
  element('text').remove()
  element('tab').insertAdjacentHTML(
    'afterend',
    '<div role="tabpanel"><textarea id="left"></textarea></div><div role="tabpanel" id="panel"><textarea id="right"></textarea></div>',
  )
  element('left').focus()
  element('right').focus()
  element('panel').tabIndex = -1
  remove('right')
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('panel'))
})

it('a dialog that takes the focus counts as one change by the user; leaving it does not', () => {
  element('text').focus()
  const before = focusChangeCount()
  const dialog = document.body.appendChild(document.createElement('div'))
  dialog.setAttribute('role', 'dialog')
  dialog.innerHTML = '<input id="filter"><button id="close"></button>'
  element('filter').focus()
  element('close').focus()
  expect(focusChangeCount()).toBe(before + 1)
  element('text').focus()
  expect(focusChangeCount()).toBe(before + 1)
  element('filter').focus()
  expect(focusChangeCount()).toBe(before + 2)
})

it('a region that had no focus gives it to its current tab, not to the first', () => {
  const panel = document.body.appendChild(document.createElement('div'))
  panel.dataset['region'] = 'tabs'
  panel.innerHTML = '<button id="first" tabindex="-1"></button><button id="current" tabindex="0"></button>'
  focusRegionNamed('tabs')
  expect(document.activeElement).toBe(element('current'))
})

it('what was rendered gets the focus, but not from a picker that the user opened meanwhile', () => {
  element('text').focus()
  focusAfterRender(() => element('refresh').focus())
  const picker = document.body.appendChild(document.createElement('div'))
  picker.setAttribute('role', 'dialog')
  picker.innerHTML = '<input id="query">'
  element('query').focus()
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('query'))
  element('text').focus()
  focusAfterRender(() => element('refresh').focus())
  vi.runAllTimers()
  expect(document.activeElement).toBe(element('refresh'))
})
