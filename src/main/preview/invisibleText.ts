import type { Page } from 'playwright-core'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { pageText } from './pageValues.ts'

/** Maximum characters, elements and frames that are looked at. */
const limits = { text: 20_000, elements: 5000 }
const maxFrames = 10
/** Milliseconds for a frame. */
const lookMs = 500

/** Returns text of the page that its accessibility tree contains, but that nobody sees. */
export async function invisibleText(page: Page): Promise<string> {
  const texts = await Promise.all(
    page
      .frames()
      .slice(0, maxFrames)
      .map((frame) =>
        raceTimeout(
          frame.evaluate(findInvisible, limits).then(String, () => ''),
          lookMs,
          '',
        ),
      ),
  )
  return texts.map((text) => pageText(limits.text).parse(text)).join('\n')
}

// This function runs in the page. The types have what it uses, because main knows no DOM.

interface TextElement {
  childNodes: Iterable<{ nodeType: number; textContent: string | null }>
  checkVisibility(options?: { opacityProperty: boolean }): boolean
  getBoundingClientRect(): { width: number; height: number; right: number; bottom: number }
}
declare const document: { querySelectorAll(selector: string): ArrayLike<TextElement> }
declare const getComputedStyle: (element: TextElement) => { fontSize: string; color: string }
declare const scrollX: number
declare const scrollY: number

function findInvisible({ text: maxText, elements: maxElements }: { text: number; elements: number }): string {
  const found: string[] = []
  let length = 0
  for (const element of Array.from(document.querySelectorAll('body *')).slice(0, maxElements)) {
    const own = Array.from(element.childNodes)
      .map(({ nodeType, textContent }) => (nodeType === 3 ? (textContent ?? '').trim() : ''))
      .join(' ')
      .trim()
    // The tree lacks elements that are not rendered.
    if (own === '' || !element.checkVisibility()) continue
    const { width, height, right, bottom } = element.getBoundingClientRect()
    const { fontSize, color } = getComputedStyle(element)
    const isSeen =
      width > 1 &&
      height > 1 &&
      right + scrollX > 0 &&
      bottom + scrollY > 0 &&
      Number.parseFloat(fontSize) >= 2 &&
      !/^rgba\(.*, 0\)$/.test(color) &&
      element.checkVisibility({ opacityProperty: true })
    if (isSeen) continue
    found.push(own.slice(0, maxText - length))
    length += own.length
    if (length >= maxText) break
  }
  return found.join('\n')
}
