import { request } from '../../platform/bridge/bridge.ts'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { monaco, pathOf } from '../../platform/editor/monaco/monaco.ts'
import { hoverExpression } from './hoverExpression.ts'

/** Maximum characters of a value in a hover. */
const maxValue = 2000

/**
 * Shows the value of the variable or member under the pointer while the program is stopped. Never calls functions of
 * the program.
 */
export function registerDebugHover(): monaco.IDisposable {
  return monaco.languages.registerHoverProvider('*', {
    async provideHover(model, position) {
      const session = selectedSession()
      const { selectedFrame: frame } = useDebug.getState()
      if (session?.state !== 'stopped' || frame === null || pathOf(model.uri) === null) return null
      const found = hoverExpression(model.getLineContent(position.lineNumber), position.column)
      if (found === null) return null
      try {
        const { value, type } = await request('debug.evaluate', {
          sessionId: session.id,
          frameId: frame.id,
          expression: found.expression,
          context: 'hover',
        })
        const shown = value.length > maxValue ? `${value.slice(0, maxValue)}…` : value
        const title = type === undefined || type === '' ? found.expression : `${found.expression}: ${type}`
        return {
          range: new monaco.Range(position.lineNumber, found.start, position.lineNumber, found.end),
          contents: [{ value: codeBlock(title) }, { value: codeBlock(shown) }],
        }
      } catch {
        // The word is not a variable in this frame.
        return null
      }
    },
  })
}

/** Returns a Markdown code block that shows the program's text unchanged. */
function codeBlock(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
