import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm'
import { currentWorkspace } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { isMac } from '../platform/keyNotation.ts'
import { attempt } from '../platform/notices.ts'

/** A part of a line that can be the path of a file. */
export interface PathInText {
  path: string
  line?: number
  column?: number
  /** 0-based index of its first character, and the index after its last one. */
  start: number
  end: number
}

const maxPaths = 20

/** Pure: finds what looks like a path in a line of output, with an optional `:line:column` or `(line,column)`. */
export function pathsInText(text: string): PathInText[] {
  return [...text.matchAll(/[^\s"'`<>()[\]|,;]+/g)]
    .flatMap(({ 0: token, index }): PathInText[] => {
      const parts = token.split(':')
      const path = parts[0] ?? ''
      if (!/[./\\]/.test(path) || !/\w/.test(path)) return []
      const [line, column] = parts.slice(1).map(Number)
      const after = /^\((\d+),(\d+)\)/.exec(text.slice(index + token.length))
      const place = after ? [Number(after[1]), Number(after[2])] : [line, column]
      const hasLine = place[0] !== undefined && place[0] > 0
      const hasColumn = hasLine && place[1] !== undefined && place[1] > 0
      const positions = after ? 0 : hasColumn ? 2 : hasLine ? 1 : 0
      const length = after ? token.length + after[0].length : parts.slice(0, positions + 1).join(':').length
      return [
        {
          path,
          ...(hasLine ? { line: place[0] } : {}),
          ...(hasColumn ? { column: place[1] } : {}),
          start: index,
          end: index + length,
        },
      ]
    })
    .slice(0, maxPaths)
}

/** Makes paths of existing files of the workspace clickable. @param cwd folder of the job, relative to the workspace */
export function fileLinks(terminal: Terminal, cwd: () => string): ILinkProvider {
  return {
    async provideLinks(row, callback) {
      const text = terminal.buffer.active.getLine(row - 1)?.translateToString(true) ?? ''
      callback(await linksOf(text, row, cwd()))
    },
  }
}

async function linksOf(text: string, row: number, cwd: string): Promise<ILink[] | undefined> {
  const root = currentWorkspace()?.root
  const found = pathsInText(text)
  if (root === undefined || found.length === 0) return undefined
  const absolute = found.map(({ path }) =>
    path.startsWith('/') ? path : `${root}/${cwd === '.' ? '' : `${cwd}/`}${path}`,
  )
  // Without an answer, for example while the window reconnects, there are no links.
  const located = await request('files.locate', { paths: absolute }).catch(() => [])
  return found.flatMap(({ start, end, line, column = 1 }, index): ILink[] => {
    const place = located[index]
    if (place?.kind !== 'file' || place.inWorkspace === null) return []
    const { inWorkspace } = place
    return [
      {
        range: { start: { x: start + 1, y: row }, end: { x: end, y: row } },
        text: text.slice(start, end),
        // A click without the modifier selects text, as in VS Code.
        activate: (event) => {
          if (isMac ? event.metaKey : event.ctrlKey)
            attempt(() => openFile(inWorkspace, line === undefined ? undefined : { line, column }))
        },
      },
    ]
  })
}
