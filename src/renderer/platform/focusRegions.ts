/**
 * The regions that F6 cycles through in page order: every visible element with `data-region`. Each region remembers its
 * last focused element.
 */
const lastFocus = new WeakMap<Element, HTMLElement>()

/**
 * Counts focus changes by the user. Code that focuses something after loading skips it if this number changed in the
 * meantime.
 */
let focusChanges = 0

export function focusChangeCount(): number {
  return focusChanges
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

/** Focuses a region: its last focused element, else the element with `data-autofocus`, else its first control. */
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
