import { useEffect, useRef, useState } from 'react'
import { openExternal } from '../platform/openExternal.ts'
import { useTheme } from '../platform/theme/theme.ts'
import { trustedFrame } from './trustedFrame.ts'

/** Maximum height of a frame in pixels. Longer HTML scrolls in it. */
const maxHeight = 480

/** Colors and fonts that a frame takes over from the window. */
const tokens = [
  '--color-text',
  '--color-text-strong',
  '--color-text-muted',
  '--color-editor',
  '--color-raised',
  '--color-border',
  '--color-border-strong',
  '--color-hover',
  '--color-accent',
  '--font-ui',
  '--font-mono',
]

/**
 * HTML of an output in a frame. The sandbox runs no scripts, submits no forms and opens no windows. Its policy loads
 * nothing but pictures in the text. The frame keeps the window's origin only so that its height can be read.
 */
export function HtmlOutput({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(60)
  const { theme, imported } = useTheme()
  const hasScripts = /<script/i.test(html)

  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const style = getComputedStyle(document.documentElement)
    const colors = tokens.map((name) => `${name}:${style.getPropertyValue(name).replaceAll(/[<>{};]/g, '')}`).join(';')
    let observer: ResizeObserver | undefined
    const loaded = (): void => {
      const content = element.contentDocument
      if (!content?.body) return
      const fit = (): void => setHeight(Math.min(maxHeight, Math.ceil(content.documentElement.scrollHeight)))
      fit()
      observer?.disconnect()
      observer = new ResizeObserver(fit)
      observer.observe(content.body)
      content.addEventListener('click', followLink)
      // Keys belong to the window, for example Ctrl+P.
      content.addEventListener('keydown', (event) => forward(event, element))
    }
    element.addEventListener('load', loaded)
    element.srcdoc = trustedFrame(html, `color-scheme:${style.colorScheme};${colors}`)
    return () => {
      element.removeEventListener('load', loaded)
      observer?.disconnect()
    }
  }, [html, theme, imported])

  return (
    <>
      <iframe
        ref={frame}
        className="notebook-frame"
        sandbox="allow-same-origin"
        referrerPolicy="no-referrer"
        title="HTML output"
        style={{ height }}
      />
      {hasScripts && <p className="notebook-note">Scripts of outputs do not run in Tizona.</p>}
    </>
  )
}

/** Opens a web link in the browser of the user. The frame itself stays where it is. */
function followLink(event: MouseEvent): void {
  // Elements of a frame are no instances of this window's classes.
  const link = (event.target as Element | null)?.closest?.('a[href]')
  if (!link) return
  const href = link.getAttribute('href') ?? ''
  if (href.startsWith('#')) return
  event.preventDefault()
  if (/^https?:\/\//i.test(href)) openExternal(href)
}

function forward(event: KeyboardEvent, target: Element): void {
  const { key, code, ctrlKey, altKey, shiftKey, metaKey } = event
  const copy = new KeyboardEvent('keydown', {
    key,
    code,
    ctrlKey,
    altKey,
    shiftKey,
    metaKey,
    bubbles: true,
    cancelable: true,
  })
  if (!target.dispatchEvent(copy)) event.preventDefault()
}
