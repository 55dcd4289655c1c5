import type { ToolInfo } from '../../shared/tools/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { modeTexts } from '../../shared/tools/modeTexts.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { toolIcon } from '../platform/toolCalls/toolSummary.ts'
import { useTools } from '../platform/conversation/toolsStore.ts'
import { disabledTexts, riskText } from '../../shared/tools/toolsetTexts.ts'
import { useSettings } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon } from '../ui/index.ts'
import { runTool, useConsoleCalls } from './consoleStore.ts'

import { ArgumentsInput, useArgumentsInput } from './ArgumentsInput.tsx'
import { CallResult } from './CallResult.tsx'

/** Description, arguments and result of one tool. */
export function ToolPage({ tool }: { tool: ToolInfo }) {
  const settings = useSettings()
  const toolset = useTools((state) => state.toolset)
  const conversationMode = useChat((state) => state.info?.mode)
  const mode = conversationMode ?? settings?.mode ?? 'safe'
  const input = useArgumentsInput(tool)
  const shown = useConsoleCalls((state) => (state.latestCallId === null ? undefined : state.calls[state.latestCallId]))
  const call = shown?.tool === tool.name ? shown : undefined
  const running = shown?.state === 'running'
  const { off } = tool

  function run(): void {
    const values = input.readArguments()
    if (values && toolset && !running && !off)
      attempt(() => runTool({ name: tool.name, arguments: values, toolset, mode }))
  }
  return (
    <div className="console-page">
      <ToolHeader tool={tool} />
      <form
        className="console-form"
        aria-label={`Arguments of ${tool.name}`}
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return
          event.preventDefault()
          run()
        }}
      >
        <ArgumentsInput input={input} />
        <div className="console-run">
          <Button type="submit" variant="primary" icon="play" disabled={running || off !== undefined}>
            Run
          </Button>
          {running && (
            <Button
              icon="debug-stop"
              onClick={() =>
                attempt(() => request('tools.cancel', { callId: shown.callId }), 'The call could not be cancelled')
              }
            >
              Cancel
            </Button>
          )}
          <Button variant="ghost" icon="json" aria-pressed={input.json !== null} onClick={input.toggleJson}>
            {input.json === null ? 'Edit as JSON' : 'Edit as form'}
          </Button>
          <span className="console-mode">
            {modeTexts[mode].label} mode: {modeTexts[mode].detail.toLowerCase()}
          </span>
        </div>
      </form>
      {call && <CallResult call={call} />}
    </div>
  )
}

function ToolHeader({ tool }: { tool: ToolInfo }) {
  const { off } = tool
  return (
    <header className="console-header">
      <h2 className="ui-page-section-title">
        <Icon name={toolIcon(tool.name)} />
        {tool.title}
        <code>{tool.name}</code>
        <span className={`console-risk console-risk-${riskText(tool).tone}`}>{riskText(tool).label}</span>
      </h2>
      <p>{tool.description}</p>
      {tool.aliases.length > 0 && <p className="console-aliases">Aliases: {tool.aliases.join(', ')}</p>}
      {off && (
        <p className="console-off">
          <Icon name="circle-slash" />
          {disabledTexts[off]}
          <Button size="small" variant="ghost" onClick={() => runCommand('settings.open')}>
            Open settings
          </Button>
        </p>
      )}
    </header>
  )
}
