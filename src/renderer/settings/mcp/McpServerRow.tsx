import { useId, useState, type ReactNode, type Ref } from 'react'
import type { McpServerState, McpServerStatus } from '../../../shared/tools/mcp.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { plural } from '../../../shared/text/plural.ts'
import { runCommand } from '../../platform/commands.ts'
import { confirm } from '../../platform/confirm.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Icon, IconButton } from '../../ui/index.ts'
import { definitionText } from './serverDefinition.ts'
import { McpSignInActions, McpSignInWaiting } from './McpSignIn.tsx'
import { McpSecrets } from './McpSecrets.tsx'
import { McpContentList } from './McpContentList.tsx'
import { McpTools } from './McpTools.tsx'
import { changeMcp, reviewServer } from '../../platform/mcpStore.ts'

const stateTexts: Readonly<Record<McpServerState, { label: string; dot: string }>> = {
  idle: { label: 'Starts when a folder opens', dot: '' },
  off: { label: 'Off', dot: '' },
  restricted: { label: 'Off in a restricted folder', dot: 'endpoint-dot-warning' },
  untrusted: { label: 'Needs your trust', dot: 'endpoint-dot-warning' },
  refused: { label: 'Refused', dot: '' },
  starting: { label: 'Starting…', dot: 'endpoint-dot-warning' },
  connected: { label: 'Connected', dot: 'endpoint-dot-good' },
  failed: { label: 'Failed', dot: 'endpoint-dot-bad' },
}

interface McpServerRowProps {
  server: McpServerStatus
  folderOpen: boolean
  /** Ref of the button that calls `onEdit`. */
  openerRef: Ref<HTMLButtonElement>
  onEdit: () => void
}

/** An MCP server in the settings, with its status, actions, tools and log. */
export function McpServerRow({ server, folderOpen, openerRef, onEdit }: McpServerRowProps) {
  const { key, name, origin, file, definition, state, problem, tools, log } = server
  const [shown, setShown] = useState<'tools' | 'content' | 'log' | null>(null)
  const id = useId()
  const toggle = (part: 'tools' | 'content' | 'log') => setShown(shown === part ? null : part)
  const isSignedOut = server.signIn?.state === 'required' || server.signIn?.state === 'waiting'
  const dot = isSignedOut ? 'endpoint-dot-warning' : stateTexts[state].dot
  const undecided = state === 'restricted' || state === 'untrusted' || state === 'refused'
  const contentLabel = contentText(server)
  const off = tools.filter((tool) => tool.off).length
  return (
    <section className="mcp-server" aria-label={`MCP server ${name}`} data-testid="mcp-server" data-state={state}>
      <div className="mcp-server-head">
        <span className={`endpoint-dot ${dot}`} />
        <div className="endpoint-main">
          <div className="endpoint-name">
            {visibleText(name)}
            <span className="mcp-state">{stateText(server)}</span>
            {origin === 'workspace' && <span className="ui-badge">this folder, {file}</span>}
          </div>
          <code className="endpoint-url">{visibleText(definitionText(definition))}</code>
          {problem !== undefined && server.signIn?.state !== 'waiting' && (
            <div className={state === 'failed' && !server.signIn ? 'mcp-failure' : 'endpoint-problem'}>{problem}</div>
          )}
          {problem !== undefined && !server.signIn && <LastOutput log={log} problem={problem} />}
          <McpSignInWaiting server={server} />
        </div>
        <span className="endpoint-actions">
          {state === 'restricted' && (
            <Button size="small" onClick={() => runCommand('trust.manage')}>
              Review folder…
            </Button>
          )}
          {(state === 'untrusted' || state === 'refused') && (
            <Button
              size="small"
              variant={state === 'untrusted' ? 'primary' : 'default'}
              onClick={() => reviewServer(key)}
            >
              Review…
            </Button>
          )}
          <McpSignInActions server={server} />
          {folderOpen && (state === 'failed' || state === 'connected') && (
            <IconButton
              icon="debug-restart"
              label={`Start ${name} again`}
              onClick={() => attempt(() => changeMcp('mcp.restart', { key }))}
            />
          )}
          {origin === 'user' && <IconButton ref={openerRef} icon="edit" label={`Change ${name}`} onClick={onEdit} />}
          {origin === 'user' && (
            <IconButton icon="trash" label={`Remove ${name}`} onClick={() => attempt(() => remove(name))} />
          )}
          {!undecided && (
            <input
              type="checkbox"
              role="switch"
              className="mcp-switch"
              aria-label={`Use ${name}`}
              checked={state !== 'off'}
              onChange={(event) => attempt(() => changeMcp('mcp.setOff', { key, off: !event.target.checked }))}
            />
          )}
        </span>
      </div>
      {origin === 'workspace' && !undecided && <McpSecrets server={server} />}
      {(tools.length > 0 || log.length > 0 || contentLabel !== '') && (
        <div className="mcp-more">
          {tools.length > 0 && (
            <Toggle shown={shown === 'tools'} controls={id} onClick={() => toggle('tools')}>
              {plural(tools.length, 'tool')}
              {off > 0 && `, ${off} off`}
            </Toggle>
          )}
          {contentLabel !== '' && (
            <Toggle shown={shown === 'content'} controls={id} onClick={() => toggle('content')}>
              {contentLabel}
            </Toggle>
          )}
          {log.length > 0 && (
            <Toggle shown={shown === 'log'} controls={id} onClick={() => toggle('log')}>
              Log
            </Toggle>
          )}
        </div>
      )}
      <div id={id} hidden={shown === null}>
        {shown === 'tools' && <McpTools server={server} />}
        {shown === 'content' && <McpContentList server={server} />}
        {shown === 'log' && (
          <pre className="mcp-log" tabIndex={0} role="region" aria-label={`Log of ${name}`}>
            {visibleText(log.join('\n'))}
          </pre>
        )}
      </div>
    </section>
  )
}

function stateText({ state, problem, signIn }: McpServerStatus): string {
  if (signIn?.state === 'waiting') return 'Signing in…'
  if (signIn?.state === 'required') return 'Needs a sign-in'
  if (state === 'starting' && problem !== undefined) return 'Retrying…'
  return signIn && state === 'connected' ? 'Connected, signed in' : stateTexts[state].label
}

/** Returns how many prompts and resources a server offers; empty if none. */
function contentText({ prompts = [], resources = [] }: McpServerStatus): string {
  const prompted = prompts.length > 0 && plural(prompts.length, 'prompt')
  return [prompted, resources.length > 0 && plural(resources.length, 'resource')].filter(Boolean).join(', ')
}

interface ToggleProps {
  shown: boolean
  /** Id of the element that it shows. */
  controls: string
  onClick: () => void
  children: ReactNode
}

function Toggle({ shown, controls, onClick, children }: ToggleProps) {
  const icon = shown ? 'chevron-down' : 'chevron-right'
  return (
    <Button size="small" variant="ghost" icon={icon} aria-expanded={shown} aria-controls={controls} onClick={onClick}>
      {children}
    </Button>
  )
}

/** The last lines of output before a failure, without the line that the problem repeats. */
function LastOutput({ log, problem }: { log: readonly string[]; problem: string | undefined }) {
  const lines = log.filter((line) => line.trim() !== '' && line !== problem).slice(-3)
  if (lines.length === 0) return null
  return (
    <div className="mcp-last">
      <Icon name="output" />
      <code>{visibleText(lines.join('\n'))}</code>
    </div>
  )
}

async function remove(name: string): Promise<void> {
  const choice = await confirm({
    title: `Remove the MCP server ${name}?`,
    message: 'The server stops, and its stored secrets will be deleted.',
    choices: [{ id: 'remove', label: 'Remove', variant: 'danger' }],
  })
  if (choice === 'remove') await changeMcp('mcp.remove', { name })
}
