/**
 * Last focused element of each region. A region is an element with `data-region`; F6 cycles through the visible ones in
 * page order.
 */
const lastFocus = new WeakMap<Element, HTMLElement>()

/**
 * Number of focus changes by the user.
 */
let focusChanges = 0

/**
 * Returns how often the user moved the focus. If it changes during loading, code must not move the focus afterwards.
 */
export function focusChangeCount(): number {
  return focusChanges
}

const focusable =
  'button:not(:disabled), [href], input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])'

/** Records focused elements and focus changes by the user. @returns a function that stops it */
export function followFocus(): () => void {
  const listener = (event: FocusEvent) => {
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    const region = target.closest('[data-region]')
    if (region) lastFocus.set(region, target)
  }
  const moved = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.key === 'Tab') focusChanges++
  }
  document.addEventListener('focusin', listener)
  document.addEventListener('pointerdown', moved, true)
  document.addEventListener('keydown', moved, true)
  return () => {
    document.removeEventListener('focusin', listener)
    document.removeEventListener('pointerdown', moved, true)
    document.removeEventListener('keydown', moved, true)
  }
}

/**
 * Focuses the last focused element of a region, else the one with `data-autofocus`, else the first control.
 * @returns success
 */
function focusRegion(region: Element): boolean {
  focusChanges++
  const before = lastFocus.get(region)
  const target =
    before?.isConnected && region.contains(before) && before.offsetParent !== null
      ? before
      : (region.querySelector<HTMLElement>('[data-autofocus]') ?? region.querySelector<HTMLElement>(focusable))
  target?.focus()
  return document.activeElement === target
}

/** Focuses a region by name, for example `editor`. */
export function focusRegionNamed(name: string): void {
  const region = document.querySelector(`[data-region="${name}"]`)
  if (region) focusRegion(region)
}

/** Moves the focus to the next (1) or previous (-1) region. */
export function cycleRegions(step: 1 | -1): void {
  const regions = [...document.querySelectorAll('[data-region]')].filter((region) => region.getClientRects().length > 0)
  const current = regions.findIndex((region) => region.contains(document.activeElement))
  for (let tries = 1; tries <= regions.length; tries++) {
    const index = current < 0 && step < 0 ? regions.length - tries : current + step * tries
    const region = regions[((index % regions.length) + regions.length) % regions.length]
    if (region && focusRegion(region)) return
  }
}
