import type { ElementHandle } from 'playwright-core'
import { z } from 'zod'
import { once } from '../../shared/async/once.ts'
import { previewValueTypes, type PreviewBox, type PreviewPopup } from '../../shared/preview/preview.ts'
import type { FoundElement } from './elementAt.ts'
import { pageBox, pageLine } from './pageValues.ts'

// Chromium draws the popups of some controls outside the page, so that a picture of the page lacks them.

/** A popup that the window draws. */
export interface OpenPopup {
  element: ElementHandle
  popup: PreviewPopup
}

/** What the page says about a popup. Its scripts can replace what `describePopup` uses, so nothing of it is certain. */
const popupSchema = once(() => {
  const common = { box: pageBox, label: pageLine(200) }
  const value = pageLine(40)
  const option = z.object({ label: pageLine(200), disabled: z.boolean(), selected: z.boolean(), group: pageLine(200) })
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('select'), ...common, options: z.array(option).max(1000) }),
    z.object({
      kind: z.literal('value'),
      ...common,
      type: z.enum(previewValueTypes),
      value,
      min: value,
      max: value,
    }),
  ])
})

/** Returns the popup that a click on an element opens, or null. Focuses the element if there is one. */
export async function popupOf({ element, frame, offset }: FoundElement): Promise<OpenPopup | null> {
  const popup: PreviewPopup | undefined = popupSchema().safeParse(await element.evaluate(describePopup)).data
  const viewport = frame.page().viewportSize()
  if (!popup || !viewport) return null
  return { element, popup: { ...popup, box: within(popup.box, offset, viewport) } }
}

/** Moves a box by the position of its frame, and keeps it in the viewport. */
function within(
  box: PreviewBox,
  offset: { x: number; y: number },
  viewport: { width: number; height: number },
): PreviewBox {
  const part = (begin: number, length: number, end: number): [number, number] => {
    const from = Math.max(0, Math.min(end, begin))
    return [from, Math.max(0, Math.min(end, begin + length) - from)]
  }
  const [x, width] = part(box.x + offset.x, box.width, viewport.width)
  const [y, height] = part(box.y + offset.y, box.height, viewport.height)
  return { x, y, width, height }
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

function describePopup(node: unknown): object | null {
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
