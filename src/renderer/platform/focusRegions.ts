/**
 * The parts of the window that F6 goes through, in the order of the page: every visible element with `data-region`.
 * Each remembers what had the focus in it.
 */
const lastFocus = new WeakMap<Element, HTMLElement>()

/** How often the user has moved the focus. What takes the focus late (a file that had to load) does not when this changed. */
let moves = 0

export function focusMoves(): number {
  return moves
}

const focusable =
  'button:not(:disabled), [href], input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])'

/** @returns stop */
export function followFocus(): () => void {
  const listener = (event: FocusEvent) => {
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    const region = target.closest('[data-region]')
    if (region) lastFocus.set(region, target)
  }
  const moved = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.key === 'Tab') moves++
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

/** Puts the focus into a part: where it was before, else on the element marked `data-autofocus`, else on its first control. */
export function focusRegion(region: Element): boolean {
  moves++
  const before = lastFocus.get(region)
  const target =
    before?.isConnected && region.contains(before) && before.offsetParent !== null
      ? before
      : (region.querySelector<HTMLElement>('[data-autofocus]') ?? region.querySelector<HTMLElement>(focusable))
  target?.focus()
  return document.activeElement === target
}

/** By name, e.g. `editor`. */
export function focusRegionNamed(name: string): void {
  const region = document.querySelector(`[data-region="${name}"]`)
  if (region) focusRegion(region)
}

/** Moves the focus to the next (1) or previous (-1) part. */
export function cycleRegions(step: 1 | -1): void {
  const regions = [...document.querySelectorAll('[data-region]')].filter((region) => region.getClientRects().length > 0)
  const current = regions.findIndex((region) => region.contains(document.activeElement))
  for (let tries = 1; tries <= regions.length; tries++) {
    const index = current < 0 && step < 0 ? regions.length - tries : current + step * tries
    const region = regions[((index % regions.length) + regions.length) % regions.length]
    if (region && focusRegion(region)) return
  }
}
