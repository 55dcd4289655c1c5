import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm'
import { runCommand } from '../platform/commands.ts'
import { isMac } from '../platform/keymap/keyNotation.ts'

/** An address of this machine in a text. */
interface PageInText {
  url: string
  start: number
  end: number
}

const address = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::\d{1,5})?(?:\/[^\s'"<>)\]]*)?/g

/** Finds addresses of servers on this machine, as dev servers print them. */
export function pagesInText(text: string): PageInText[] {
  return [...text.matchAll(address)].map(({ 0: found, index }) => {
    const shown = found.replace(/[.,;:!?]$/, '')
    // An address that a server listens at, but no browser opens.
    const url = shown.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, '//localhost')
    return { url, start: index, end: index + shown.length }
  })
}

/** Makes addresses of servers on this machine clickable, which opens them in the Preview tab. */
export function pageLinks(terminal: Terminal): ILinkProvider {
  return {
    provideLinks(row, callback) {
      const text = terminal.buffer.active.getLine(row - 1)?.translateToString(true) ?? ''
      const links = pagesInText(text).map(({ url, start, end }): ILink => ({
        range: { start: { x: start + 1, y: row }, end: { x: end, y: row } },
        text: url,
        // Without the modifier, a click selects text, as in VS Code.
        activate: (event) => {
          if (isMac ? event.metaKey : event.ctrlKey) runCommand('preview.page', url)
        },
      }))
      callback(links.length > 0 ? links : undefined)
    },
  }
}
