import type { Page } from '@playwright/test'

/**
 * Finds controls that are outside of the window, clipped by an ancestor that does not scroll, or covered by another
 * element. Controls that can be scrolled into view count as visible.
 * @returns one line per problem
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(controlProblems)
}

/** Runs in the page. */
function controlProblems(): string[] {
  const problems: string[] = []
  const slack = 1
  const nameOf = (element: Element): string =>
    `${element.tagName.toLowerCase()} "${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}" (${element.className})`
  const controls = document.querySelectorAll<HTMLElement>(
    'button, input, select, textarea, [role="tab"], [role="alert"] span',
  )
  for (const control of controls) {
    if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }))
      continue
    // Skip Monaco's invisible fields for input methods and texts for screen readers.
    if (control.closest('.monaco-editor, .visually-hidden')) continue
    let { left, top, right, bottom } = control.getBoundingClientRect()
    if (right - left < 2 || bottom - top < 2) continue
    let isScrolled = false
    for (let parent = control.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
      const style = getComputedStyle(parent)
      if (style.overflow === 'visible') continue
      const box = parent.getBoundingClientRect()
      const scrolls = (axis: 'X' | 'Y'): boolean => /auto|scroll/.test(axis === 'X' ? style.overflowX : style.overflowY)
      const outX = left < box.left - slack || right > box.right + slack
      const outY = top < box.top - slack || bottom > box.bottom + slack
      if ((outX && scrolls('X')) || (outY && scrolls('Y'))) isScrolled = true
      else if (outX || outY) problems.push(`${nameOf(control)} is cut off by ${parent.className || parent.tagName}`)
      left = Math.max(left, box.left)
      top = Math.max(top, box.top)
      right = Math.min(right, box.right)
      bottom = Math.min(bottom, box.bottom)
    }
    if (isScrolled) continue
    if (left < -slack || top < -slack || right > innerWidth + slack || bottom > innerHeight + slack)
      problems.push(`${nameOf(control)} is outside the window`)
    const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    if (found && !control.contains(found) && !found.contains(control))
      problems.push(`${nameOf(control)} is covered by ${nameOf(found)}`)
  }
  return [...new Set(problems)]
}
