import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm'
import { request } from '../platform/bridge/bridge.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { isMac } from '../platform/keymap/keyNotation.ts'
import { attempt } from '../platform/notices.ts'
import { pathsInText } from '../platform/textLinks/pathsInText.ts'

/** Makes paths of existing workspace files clickable. @param cwd the job's folder, relative to the workspace */
export function fileLinks(terminal: Terminal, cwd: () => string): ILinkProvider {
  return {
    async provideLinks(row, callback) {
      const text = terminal.buffer.active.getLine(row - 1)?.translateToString(true) ?? ''
      callback(await linksOf(text, row, cwd()))
    },
  }
}

async function linksOf(text: string, row: number, cwd: string): Promise<ILink[] | undefined> {
  const found = pathsInText(text)
  if (found.length === 0) return undefined
  const paths = found.map(({ path }) => (cwd === '.' || /^(?:\/|[a-z]:)/i.test(path) ? path : `${cwd}/${path}`))
  // Without a response, for example while the window reconnects, there are no links.
  const { files } = await request('links.locate', { paths, names: [] }).catch(() => ({ files: [] }))
  return found.flatMap(({ start, end, line, column = 1 }, index): ILink[] => {
    const inWorkspace = files[index]
    if (inWorkspace === null || inWorkspace === undefined) return []
    return [
      {
        range: { start: { x: start + 1, y: row }, end: { x: end, y: row } },
        text: text.slice(start, end),
        // Without the modifier, a click selects text, as in VS Code.
        activate: (event) => {
          if (isMac ? event.metaKey : event.ctrlKey)
            attempt(() => openFile(inWorkspace, line === undefined ? undefined : { line, column }))
        },
      },
    ]
  })
}
