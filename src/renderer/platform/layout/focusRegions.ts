/**
 * Last focused element of each region. A region is an element with `data-region`; F6 cycles through the visible ones in
 * page order.
 */
const lastFocus = new WeakMap<Element, HTMLElement>()

/** Number of focus changes by the user, and the recently focused elements, latest first. */
const focusState = { changes: 0, recent: [] as WeakRef<HTMLElement>[] }
const maxRecent = 20

/**
 * Returns how often the user has moved the focus. If this changes during loading, code must not move the focus
 * afterwards.
 */
export function focusChangeCount(): number {
  return focusState.changes
}

/**
 * Moves the focus after two frames, when React has rendered its target, unless the user has moved the focus in the
 * meantime, for example by opening a picker.
 * @param moves `focusChangeCount()` at the time of the user's action
 */
export function focusAfterRender(focus: () => void, moves = focusState.changes): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (moves === focusState.changes) focus()
    }),
  )
}

/** Controls that Tab reaches. In a group with arrow keys, such as tabs, only the current one. */
const focusable = [
  'button:not(:disabled)',
  '[href]',
  'input:not(:disabled)',
  'select:not(:disabled)',
  'textarea:not(:disabled)',
  '[tabindex]',
]
  .map((selector) => `${selector}:not([tabindex="-1"])`)
  .join(', ')

/**
 * Records focused elements and the user's focus changes. If the focused element disappears or is disabled, and nothing
 * else takes the focus, restores it to the previous element, or to one near the lost element if the previous one is
 * scrolled away.
 * @returns a function that stops it
 */
export function followFocus(): () => void {
  let region: Element | null = null
  let dialog: Element | null = null
  /** The focused element's ancestors in its region, nearest first. */
  let around: Element[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const listener = (event: FocusEvent) => {
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    region = target.closest('[data-region]')
    if (region && region !== target) lastFocus.set(region, target)
    around = ancestorsIn(region, target)
    // A dialog or picker that the user opened by key keeps the focus from views that were still loading.
    const opened = target.closest('[role="dialog"]')
    if (opened && opened !== dialog) focusState.changes++
    dialog = opened
    const others = focusState.recent.filter((other) => other.deref() !== target)
    focusState.recent = [new WeakRef(target), ...others].slice(0, maxRecent)
  }
  const left = ({ target }: FocusEvent) => {
    const before = region
    const near = around
    clearTimeout(timer)
    timer = setTimeout(() => {
      // A dialog moves the focus itself.
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost && target instanceof HTMLElement && !canFocus(target)) focusRecent(before, near)
    }, lostFocusDelayMs)
  }
  const moved = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.key === 'Tab') focusState.changes++
  }
  document.addEventListener('focusin', listener)
  document.addEventListener('focusout', left)
  document.addEventListener('pointerdown', moved, true)
  document.addEventListener('keydown', moved, true)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('focusin', listener)
    document.removeEventListener('focusout', left)
    document.removeEventListener('pointerdown', moved, true)
    document.removeEventListener('keydown', moved, true)
  }
}

/** Milliseconds after which the focus counts as lost. Views that open or close take it within two frames. */
const lostFocusDelayMs = 60

function canFocus(element: HTMLElement): boolean {
  const isFocusable = element.tabIndex >= 0 || element.hasAttribute('tabindex')
  return isFocusable && element.isConnected && element.checkVisibility() && !element.matches(':disabled')
}

/**
 * Focuses the region's last focused element that can still have the focus, or else the window's. If that element is
 * scrolled out of view, prefers a control near the lost one, so that the page does not move.
 * @param around ancestors of the lost element, nearest first
 */
function focusRecent(region: Element | null, around: readonly Element[]): void {
  const elements = focusState.recent.flatMap((each) => each.deref() ?? []).filter(canFocus)
  const target = elements.find((element) => region?.contains(element))
  // A view that covers the text of its group takes the focus. That of another group would make it active.
  const panel = around.find((each) => each.matches('[role="tabpanel"]'))
  if (panel instanceof HTMLElement && canFocus(panel) && !(target && panel.contains(target))) panel.focus()
  else if (target && isInView(target)) target.focus()
  else if (target) (controlIn(around) ?? target).focus()
  else if (!region?.isConnected || !focusInside(region)) elements[0]?.focus()
}

function ancestorsIn(region: Element | null, element: Element): Element[] {
  const found: Element[] = []
  for (let each = element.parentElement; each && each !== region; each = each.parentElement) found.push(each)
  return found
}

/** Returns the first control of the first element that is still on the page and has one. */
function controlIn(elements: readonly Element[]): HTMLElement | undefined {
  for (const element of elements.filter(({ isConnected }) => isConnected)) {
    const control = [...element.querySelectorAll<HTMLElement>(focusable)].find(canFocus)
    if (control) return control
  }
  return undefined
}

/** Whether no ancestor has scrolled an element out of view. */
function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (parent.scrollHeight <= parent.clientHeight) continue
    const box = parent.getBoundingClientRect()
    if (bottom <= box.top || top >= box.bottom) return false
  }
  return true
}

/**
 * Focuses a region's last focused element, else the one with `data-autofocus`, else the first control.
 * @returns whether it focused one
 */
function focusRegion(region: Element): boolean {
  focusState.changes++
  return focusInside(region)
}

function focusInside(region: Element): boolean {
  const before = lastFocus.get(region)
  const target =
    before && region.contains(before) && canFocus(before) && before.offsetParent !== null
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

/**
 * Focuses a region itself, so that keys do not go to a text while its view loads. Does nothing if the region has the
 * focus.
 */
export function holdFocusIn(name: string): void {
  const region = document.querySelector<HTMLElement>(`[data-region="${name}"]`)
  if (!region || region.contains(document.activeElement)) return
  region.tabIndex = -1
  region.addEventListener('blur', () => region.removeAttribute('tabindex'), { once: true })
  region.focus({ preventScroll: true })
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
