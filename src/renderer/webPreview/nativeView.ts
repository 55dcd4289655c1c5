import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import type { PreviewBox, PreviewDisplay } from '../../shared/preview/preview.ts'
import { on, request } from '../platform/bridge/bridge.ts'

// On the desktop a view of the system shows the page. It lies above everything that the window draws, so the window hides
// it while something else is to be seen there, and shows pictures of the page meanwhile.

/** Everything of the window that can lie above a tab. */
const overlays = [
  'dialog[open]',
  '[popover]',
  '.quick-shade',
  '.notice-list',
  '.notice-toasts > *',
  '.composer-menu',
  '.context-view',
  '.overflowingContentWidgets > *',
  '.overflowingOverlayWidgets > *',
].join(', ')

/** Parts of the window that stay in place above others that scroll. */
const bars = '.activitybar'

/** Milliseconds between two reports of the position, without which main takes the tab for hidden. */
const repeatMs = 5000
/** Milliseconds for which a view stays away after an overlay closed: often another one opens. */
const settleMs = 80
/** Milliseconds to wait for a picture before the view is hidden. */
const pictureMs = 500

interface NativeViewOptions {
  /** Where the page is to be seen. */
  stage: RefObject<HTMLElement | null>
  display: PreviewDisplay | null
  /** Whether the page has a view. */
  isNative: boolean
  /** Whether the window draws above the page itself. */
  isBusy: boolean
  /** Number of pictures so far. */
  frames: number
}

/**
 * Keeps the view of the page where the tab shows it.
 * @returns whether the window has to show pictures of the page
 */
export function useNativeView({ stage, display, isNative, isBusy, frames }: NativeViewOptions): boolean {
  const isCovered = useCover(stage, isNative)
  const isHidden = useSettled(isCovered || isBusy)
  const [hasPicture, setHasPicture] = useState(false)
  const framesBefore = useRef(0)
  useEffect(() => {
    framesBefore.current = frames
    setHasPicture(false)
    if (!isHidden) return undefined
    const timer = setTimeout(() => setHasPicture(true), pictureMs)
    return () => clearTimeout(timer)
    // The number of frames at the moment in which it is covered.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isHidden])
  // The view stays until the picture below it is drawn.
  const isShown = isNative && display !== null && !(isHidden && (hasPicture || frames > framesBefore.current))
  usePlacement(stage, isShown ? display : null, display)
  // The user looks no more, and answers no dialogs.
  useEffect(() => (isNative ? () => void request('preview.hide', {}).catch(() => undefined) : undefined), [isNative])
  return !isNative || isHidden
}

/** Reports the position of the view while it is shown. */
function usePlacement(
  stage: RefObject<HTMLElement | null>,
  shown: PreviewDisplay | null,
  display: PreviewDisplay | null,
): void {
  const last = useRef(display)
  if (display) last.current = display
  useEffect(() => {
    if (!shown) return undefined
    let sent = ''
    const place = (isRepeated: boolean): void => {
      const bounds = document.hidden ? null : boundsOf(stage.current)
      const text = JSON.stringify(bounds)
      if (text === sent && !isRepeated) return
      sent = text
      request('preview.place', { bounds, display: shown }).catch(() => undefined)
    }
    place(true)
    const stop = followLayout(stage, () => place(false))
    const timer = setInterval(() => place(true), repeatMs)
    return () => {
      stop()
      clearInterval(timer)
      if (last.current) request('preview.place', { bounds: null, display: last.current }).catch(() => undefined)
    }
  }, [stage, shown])
}

function boundsOf(element: HTMLElement | null): PreviewBox | null {
  if (!element) return null
  const { x, y, width, height } = element.getBoundingClientRect()
  return isPlaceable({ x, y, width, height }) ? { x, y, width, height } : null
}

/** Whether main can place a view there. */
const isPlaceable = ({ x, y, width, height }: PreviewBox): boolean => x >= 0 && y >= 0 && width >= 1 && height >= 1

/** Whether something lies above the stage, or a part of it cannot be seen. */
function useCover(stage: RefObject<HTMLElement | null>, isOn: boolean): boolean {
  const [isCovered, setCovered] = useState(false)
  useEffect(() => {
    if (!isOn) return undefined
    const look = (): void => setCovered(isDragging || isCoveredNow(stage.current))
    let isDragging = false
    const drag = (event: Event): void => {
      isDragging = event.type === 'dragstart'
      look()
    }
    look()
    const stop = followLayout(stage, look)
    for (const type of ['dragstart', 'dragend', 'drop']) addEventListener(type, drag, true)
    return () => {
      stop()
      for (const type of ['dragstart', 'dragend', 'drop']) removeEventListener(type, drag, true)
    }
  }, [stage, isOn])
  return isCovered
}

/** @returns whether an overlay lies above the stage, or a part of the stage is scrolled away */
export function isCoveredNow(stage: HTMLElement | null): boolean {
  if (!stage) return false
  const box = stage.getBoundingClientRect()
  if (!isPlaceable(box) || isCutOff(stage, box)) return true
  return [...document.querySelectorAll(`${overlays}, ${bars}`)].some((overlay) => {
    if (overlay.contains(stage) || !overlay.checkVisibility({ visibilityProperty: true })) return false
    if (overlay.matches('dialog[open]')) return true
    const { left, top, right, bottom, width, height } = overlay.getBoundingClientRect()
    if (width === 0 || height === 0) return false
    return left < box.right && right > box.left && top < box.bottom && bottom > box.top
  })
}

/** Whether an element around the stage hides a part of it. */
function isCutOff(stage: HTMLElement, { left, top, right, bottom }: DOMRect): boolean {
  for (let element = stage.parentElement; element; element = element.parentElement) {
    if (/^(?:visible)?$/.test(getComputedStyle(element).overflow)) continue
    const room = element.getBoundingClientRect()
    const fits = left >= room.left - 1 && top >= room.top - 1
    if (!fits || right > room.right + 1 || bottom > room.bottom + 1) return true
  }
  return false
}

/** Calls `act` once for all changes of a frame that can move the stage or what lies above it. */
function followLayout(stage: RefObject<HTMLElement | null>, act: () => void): () => void {
  let frame = 0
  const later = (): void => {
    if (frame === 0)
      frame = requestAnimationFrame(() => {
        frame = 0
        act()
      })
  }
  const mutations = new MutationObserver(later)
  mutations.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['open', 'style', 'class', 'hidden'],
  })
  const sizes = new ResizeObserver(later)
  for (let element = stage.current; element; element = element.parentElement) sizes.observe(element)
  addEventListener('resize', later)
  document.addEventListener('scroll', later, true)
  document.addEventListener('toggle', later, true)
  document.addEventListener('transitionend', later, true)
  document.addEventListener('visibilitychange', later)
  return () => {
    cancelAnimationFrame(frame)
    mutations.disconnect()
    sizes.disconnect()
    removeEventListener('resize', later)
    document.removeEventListener('scroll', later, true)
    document.removeEventListener('toggle', later, true)
    document.removeEventListener('transitionend', later, true)
    document.removeEventListener('visibilitychange', later)
  }
}

/** True at once, false after it has stayed so for a while. */
function useSettled(value: boolean): boolean {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    if (value) return setSettled(true)
    const timer = setTimeout(() => setSettled(false), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return value || settled
}

/**
 * Moves the keyboard focus between the window and the view. The text field of the page has the focus of the window while
 * the view has that of the system.
 */
export function useViewFocus(field: RefObject<HTMLElement | null>, isShown: boolean): void {
  const enter = useCallback(() => void request('preview.focus', {}).catch(() => undefined), [])
  useEffect(() => {
    const element = field.current
    if (!isShown || !element) return undefined
    /** Whether the window itself is getting the focus, for example after a shortcut in the view. */
    let isReturning = false
    const onWindowFocus = (event: FocusEvent): void => {
      if (event.target !== window) return
      isReturning = true
      setTimeout(() => (isReturning = false))
    }
    let entering: ReturnType<typeof setTimeout> | undefined
    const onFocus = (): void => {
      clearTimeout(entering)
      if (isReturning) return
      // An overlay that closes gives the focus back, and often another one opens.
      entering = setTimeout(() => {
        if (document.activeElement === element) enter()
      }, 2 * settleMs)
    }
    addEventListener('focus', onWindowFocus, true)
    element.addEventListener('focus', onFocus)
    const stops = [
      on('preview.focused', ({ inPage }) => {
        // An overlay has opened since.
        if (!inPage || document.activeElement === element || document.activeElement?.closest(overlays)) return
        element.removeEventListener('focus', onFocus)
        element.focus({ preventScroll: true })
        element.addEventListener('focus', onFocus)
        // A page without the focus of the system dispatches none.
        if (!document.hasFocus()) element.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
      }),
      on('preview.key', (press) => {
        element.dispatchEvent(new KeyboardEvent('keydown', { ...press, bubbles: true, cancelable: true }))
      }),
    ]
    return () => {
      clearTimeout(entering)
      removeEventListener('focus', onWindowFocus, true)
      element.removeEventListener('focus', onFocus)
      stops.forEach((stop) => stop())
    }
  }, [field, isShown, enter])
}
