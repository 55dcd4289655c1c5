import type { ConnectOverCDPTransport } from 'playwright-core'
import type { PreviewBox } from '../../shared/preview/preview.ts'

/** What the page of the preview runs in, controlled over the DevTools protocol. */
export interface PageHost {
  transport: ConnectOverCDPTransport
  /** Resolves when it has ended. */
  ended: Promise<void>
  /** The last line that it printed, e.g. why it did not start. */
  lastLine(): string
  /** Ends it and deletes its data. */
  end(): Promise<void>
  /** The view in the window. Absent if the window shows pictures of the page. */
  view?: NativeView
}

/** A view of the page above the window's own page. It hides all that the window draws there. */
export interface NativeView {
  /** Moves and shows the view, or hides it. @param bounds in CSS pixels of the window */
  place(bounds: PreviewBox | null): void
  /** Moves the keyboard focus into the page. */
  focus(): void
}

/** Events of a view that the DevTools protocol lacks. */
export interface PageHostEvents {
  /** A person clicked or pressed a key in the view. */
  onUsed(): void
  /** The page wanted to open a window, which was refused. */
  onWindow(url: string): void
}

/** Shows pages in views of the window. */
export interface PageViews {
  /** Whether there is a window. A view without one draws nothing. */
  isAvailable(): boolean
  /**
   * Starts a view, which ends with the window. All its requests go through the proxy, loopback included.
   * @param proxyPort port of the proxy on 127.0.0.1
   */
  open(proxyPort: number, events: PageHostEvents): Promise<PageHost>
}
