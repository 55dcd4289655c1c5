import { createRoot } from 'react-dom/client'
import type { DebugExceptionInfo, DebugFrame, DebugSessionInfo, DebugVariable } from '../../../shared/debug/debug.ts'
import { Latest } from '../../../shared/async/latest.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { runCommand } from '../../platform/commands.ts'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import type { EditorExtension } from '../../platform/editor/editorExtensions.ts'
import { pathOf } from '../../platform/editor/monaco/monaco.ts'
import { createZoneWidget } from '../../platform/editor/zoneWidget.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, IconButton } from '../../ui/index.ts'
import { describeStop } from './describeStop.ts'

/** Shows the exception that stopped the program below its line. */
export const exceptionWidget: EditorExtension = (editor) => {
  const loading = new Latest()
  let known = ''
  let close = (): void => undefined

  function update(): void {
    const session = selectedSession()
    const { selectedFrame: frame, topFrame } = useDebug.getState()
    const model = editor.getModel()
    const isHere =
      session?.stop?.reason === 'exception' &&
      frame !== null &&
      (frame.id === topFrame || frame.path !== undefined) &&
      model !== null &&
      pathOf(model.uri) === frame.path
    const next = isHere ? `${session.id} ${session.stopCount} ${frame.path}` : ''
    if (next === known) return
    known = next
    close()
    const isCurrent = loading.begin()
    if (isHere) attempt(() => show(session, frame, isCurrent))
  }

  async function show(session: DebugSessionInfo, frame: DebugFrame, isCurrent: () => boolean): Promise<void> {
    const { id: sessionId, stop } = session
    const threadId = stop?.threadId ?? 0
    const info = (await request('debug.exceptionInfo', { sessionId, threadId }).catch(() => null)) ?? {
      id: 'Exception',
      ...(stop?.text !== undefined && { description: stop.text }),
    }
    if (!isCurrent()) return
    const widget = createZoneWidget(editor, frame.line, 'debug-exception')
    const root = createRoot(widget.node)
    close = () => {
      close = () => undefined
      // React must not be unmounted while it renders.
      queueMicrotask(() => root.unmount())
      widget.dispose()
    }
    root.render(
      <ExceptionBody info={info} onAsk={() => attempt(() => ask(session, frame, info))} onClose={() => close()} />,
    )
  }

  const subscriptions = [editor.onDidChangeModel(update), { dispose: useDebug.subscribe(update) }]
  update()
  return {
    dispose() {
      for (const each of subscriptions) each.dispose()
      close()
    },
  }
}

interface BodyProps {
  info: DebugExceptionInfo
  onAsk: () => void
  onClose: () => void
}

function ExceptionBody({ info, onAsk, onClose }: BodyProps) {
  return (
    <div className="debug-exception-body" role="alert" aria-label="Exception">
      <div className="debug-exception-text">
        <span className="debug-exception-name">{info.id}</span>
        {info.description !== undefined && `: ${info.description}`}
      </div>
      <Button size="small" icon="comment-discussion" onClick={onAsk}>
        Ask the model
      </Button>
      <IconButton icon="close" label="Close" onClick={onClose} />
    </div>
  )
}

/** Adds the exception, its stack and the visible variables to the chat message. */
async function ask(session: DebugSessionInfo, frame: DebugFrame, info: DebugExceptionInfo): Promise<void> {
  const { id: sessionId } = session
  const threadId = session.stop?.threadId ?? 0
  const { frames } = await request('debug.stack', { sessionId, threadId, start: 0, count: 30 })
  const scopes = await request('debug.scopes', { sessionId, frameId: frame.id })
  const variables: DebugVariable[] = []
  for (const { reference, expensive } of scopes)
    if (!expensive && variables.length < 100)
      variables.push(...(await request('debug.variables', { sessionId, reference, start: 0, count: 100 })))
  runCommand('chat.addText', { heading: `Exception in ${session.name}`, text: describeStop(info, frames, variables) })
}
