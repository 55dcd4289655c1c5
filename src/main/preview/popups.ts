import type { ElementHandle } from 'playwright-core'
import type { PreviewBox, PreviewPopup } from '../../shared/preview/preview.ts'
import type { FoundElement } from './elementAt.ts'

// Chromium draws the popups of some controls outside the page, so that a picture of the page lacks them.

/** A popup that the window draws. */
export interface OpenPopup {
  element: ElementHandle
  popup: PreviewPopup
}

/** Returns the popup that a click on an element opens, or null. Focuses the element if there is one. */
export async function popupOf({ element, offset }: FoundElement): Promise<OpenPopup | null> {
  const popup = await element.evaluate(describePopup)
  if (popup === null) return null
  const { box } = popup
  return { element, popup: { ...popup, box: { ...box, x: box.x + offset.x, y: box.y + offset.y } } }
}

/** Sets what the user chose. The page is informed as of a user's choice. */
export async function choose(
  { element }: OpenPopup,
  choice: { options?: readonly number[]; value?: string },
): Promise<void> {
  if (choice.options) await element.selectOption(choice.options.map((index) => ({ index })))
  else if (choice.value !== undefined) await element.evaluate(setValue, choice.value)
}

// These functions run in the page. The types have what they use, because main knows no DOM.

interface Option {
  label: string
  disabled: boolean
  selected: boolean
  parentElement: { tagName: string; label?: string; disabled?: boolean } | null
}
interface Control {
  tagName: string
  type: string
  disabled: boolean
  readOnly?: boolean
  multiple: boolean
  size: number
  value: string
  min: string
  max: string
  options: Iterable<Option>
  labels: Iterable<{ textContent: string | null }> | null
  getAttribute(name: string): string | null
  getBoundingClientRect(): PreviewBox
  focus(): void
  dispatchEvent(event: object): void
}
declare const Event: new (type: string, options: { bubbles: boolean; composed?: boolean }) => object

function describePopup(node: unknown): PreviewPopup | null {
  // Elements of other kinds lack most of it.
  const inner = node as Control & { closest?(selector: string): Control | null }
  const control = inner.closest?.('select') ?? inner
  const { tagName, type, disabled, readOnly, multiple, size } = control
  const isSelect = tagName === 'SELECT' && !multiple && size <= 1
  const isValue = tagName === 'INPUT' && /^(?:date|time|month|week|datetime-local|color)$/.test(type)
  if (disabled || readOnly === true || (!isSelect && !isValue)) return null
  control.focus()
  const { x, y, width, height } = control.getBoundingClientRect()
  const label = (control.getAttribute('aria-label') ?? [...(control.labels ?? [])][0]?.textContent ?? '').trim()
  const common = { box: { x, y, width, height }, label: label.slice(0, 200) }
  if (!isSelect) {
    const { value, min, max } = control
    return { ...common, kind: 'value', type, value, min, max }
  }
  const options = [...control.options].slice(0, 1000).map((option) => {
    const group = option.parentElement?.tagName === 'OPTGROUP' ? option.parentElement : null
    return {
      label: option.label.slice(0, 200),
      disabled: option.disabled || group?.disabled === true,
      selected: option.selected,
      group: (group?.label ?? '').slice(0, 200),
    }
  })
  return { ...common, kind: 'select', options }
}

function setValue(node: unknown, value: string): void {
  // The element of a popup is a control.
  const control = node as Control
  // Frameworks replace the setter of the element, and take the value for unchanged.
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set
  setter?.call(control, value)
  control.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  control.dispatchEvent(new Event('change', { bubbles: true }))
}
