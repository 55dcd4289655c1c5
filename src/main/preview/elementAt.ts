import type { ElementHandle, Frame, Page } from 'playwright-core'
import type { PreviewPoint } from '../../shared/preview/preview.ts'

/** An element of the page, in whichever frame it is. */
export interface FoundElement {
  element: ElementHandle
  frame: Frame
  /** Position of the frame in the page. */
  offset: PreviewPoint
}

const maxFrames = 10

/** Returns the innermost element at a point of the page, in frames and open shadow roots too. */
export async function elementAt(page: Page, point: PreviewPoint): Promise<FoundElement | null> {
  return innermost(page.mainFrame(), (frame, offset) =>
    frame.evaluateHandle(pointedElement, { x: point.x - offset.x, y: point.y - offset.y }),
  )
}

/** Returns the element with the focus, in frames and open shadow roots too. */
export async function focusedElement(page: Page): Promise<FoundElement | null> {
  return innermost(page.mainFrame(), (frame) => frame.evaluateHandle(activeElement))
}

type ElementFinder = (frame: Frame, offset: PreviewPoint) => Promise<{ asElement(): ElementHandle | null }>

async function innermost(mainFrame: Frame, find: ElementFinder): Promise<FoundElement | null> {
  let frame = mainFrame
  let offset: PreviewPoint = { x: 0, y: 0 }
  for (let depth = 0; depth < maxFrames; depth++) {
    const element = (await find(frame, offset)).asElement()
    if (element === null) return null
    const inner = await element.contentFrame()
    if (inner === null) return { element, frame, offset }
    offset = await offsetOf({ element, frame, offset })
    frame = inner
  }
  return null
}

/** Returns the position in the page of what is in the element of a frame. */
export async function offsetOf({ element, offset }: FoundElement): Promise<PreviewPoint> {
  const origin = await element.evaluate(contentOrigin)
  return { x: offset.x + origin.x, y: offset.y + origin.y }
}

// These functions run in the page. The types have what they use, because main knows no DOM.

interface Root {
  elementFromPoint(x: number, y: number): PageElement | null
  activeElement: PageElement | null
}
interface PageElement {
  shadowRoot: Root | null
  clientLeft: number
  clientTop: number
  getBoundingClientRect(): { left: number; top: number }
}
declare const document: Root
declare const getComputedStyle: (element: PageElement) => { paddingLeft: string; paddingTop: string }

function pointedElement({ x, y }: PreviewPoint): PageElement | null {
  let found = document.elementFromPoint(x, y)
  while (found?.shadowRoot) {
    const inner = found.shadowRoot.elementFromPoint(x, y)
    if (inner === null || inner === found) break
    found = inner
  }
  return found
}

function activeElement(): PageElement | null {
  let found = document.activeElement
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement
  return found
}

/** Returns where the page of a frame begins. */
function contentOrigin(node: unknown): PreviewPoint {
  // The caller passes the element of a frame.
  const frame = node as PageElement
  const { left, top } = frame.getBoundingClientRect()
  const { paddingLeft, paddingTop } = getComputedStyle(frame)
  return {
    x: left + frame.clientLeft + Number.parseFloat(paddingLeft),
    y: top + frame.clientTop + Number.parseFloat(paddingTop),
  }
}
