import { useId, useState, type ReactNode, type Ref } from 'react'
import type { McpServerState, McpServerStatus, McpToolStatus } from '../../../shared/tools/mcp.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { plural } from '../../../shared/text/plural.ts'
import { runCommand } from '../../platform/commands.ts'
import { confirm } from '../../platform/confirm.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Icon, IconButton, VisibleCode, TextField, Select } from '../../ui/index.ts'
import { definitionText } from './serverDefinition.ts'
import { McpSignInActions, McpSignInWaiting } from './McpSignIn.tsx'
import { changeMcp, reviewServer } from '../../platform/mcpStore.ts'
import { mentionText } from '../../../shared/agent/mentions.ts'
import { risks } from '../../../shared/tools/risk.ts'
import { riskTexts } from '../../../shared/tools/modeTexts.ts'

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

/** An MCP server with its status, actions, tools and log. */
export function McpServerRow({ server, folderOpen, openerRef, onEdit }: McpServerRowProps) {
  const { key, name, origin, file, plugin, definition, state, problem, tools, log } = server
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
            {origin === 'workspace' && <span className="ui-badge">{`This folder: ${file}`}</span>}
            {origin === 'plugin' && <span className="ui-badge">{`Plug-in: ${plugin}`}</span>}
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
      {origin !== 'user' && !undecided && <McpSecrets server={server} />}
      {(tools.length > 0 || log.length > 0 || contentLabel !== '') && (
        <div className="mcp-more">
          {tools.length > 0 && (
            <Toggle shown={shown === 'tools'} controls={id} onClick={() => toggle('tools')}>
              {off > 0 ? `${plural(tools.length, 'tool')} (${off} off)` : plural(tools.length, 'tool')}
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
          <pre className="mcp-log" tabIndex={0} role="region" aria-label={`${name} log`}>
            {visibleText(log.join('\n'))}
          </pre>
        )}
      </div>
    </section>
  )
}

function stateText({ state, problem, signIn }: McpServerStatus): string {
  if (signIn?.state === 'waiting') return 'Signing in…'
  if (signIn?.state === 'required') return 'Sign-in required'
  if (state === 'starting' && problem !== undefined) return 'Retrying…'
  return signIn && state === 'connected' ? 'Connected, signed in' : stateTexts[state].label
}

/** Returns how many prompts and resources a server offers; '' if none. */
function contentText({ prompts = [], resources = [] }: McpServerStatus): string {
  const prompted = prompts.length > 0 && plural(prompts.length, 'prompt')
  return [prompted, resources.length > 0 && plural(resources.length, 'resource')].filter(Boolean).join(', ')
}

interface ToggleProps {
  shown: boolean
  /** Id of the controlled element. */
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

/** Lists a server's prompts and resources as they are written in a message. */
function McpContentList({ server: { name: server, prompts = [], resources = [] } }: { server: McpServerStatus }) {
  return (
    <ul className="mcp-tools">
      {prompts.map(({ command, description, arguments: args }) => (
        <li key={command}>
          <div className="mcp-tool-text">
            <code className="tool-row-name">
              /{command}
              {args.map(({ name, required }) => (required ? ` ${name}="…"` : ` [${name}="…"]`))}
            </code>
            {description !== '' && (
              <p>
                <VisibleCode text={description} />
              </p>
            )}
          </div>
        </li>
      ))}
      {resources.map(({ uri, name, description }) => (
        <li key={uri}>
          <div className="mcp-tool-text">
            <code className="tool-row-name">{mentionText({ server, uri })}</code>
            <p>
              <VisibleCode text={[name, description].filter(Boolean).join(': ')} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Form for the secrets that a workspace MCP server needs. They are stored outside the workspace and never shown. */
function McpSecrets({ server: { key, inputs } }: { server: Pick<McpServerStatus, 'key' | 'inputs'> }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  if (inputs.length === 0) return null
  const entered = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  return (
    <form
      className="mcp-secrets"
      onSubmit={(event) => {
        event.preventDefault()
        attempt(async () => {
          await changeMcp('mcp.setSecrets', { key, secrets: entered })
          setValues({})
        }, 'The secrets could not be saved')
      }}
    >
      {inputs.map(({ name, stored }) => (
        <TextField
          key={name}
          label={name}
          type="password"
          autoComplete="off"
          placeholder={stored ? 'Stored. Leave empty to keep it.' : 'Not stored yet'}
          value={values[name] ?? ''}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
        />
      ))}
      <Button type="submit" disabled={Object.keys(entered).length === 0}>
        Store
      </Button>
    </form>
  )
}

/** Lists an MCP server's tools, with description, risk and a switch. */
function McpTools({ server: { key, tools } }: { server: McpServerStatus }) {
  return (
    <ul className="mcp-tools">
      {tools.map((tool) => (
        <McpToolRow key={tool.name} serverKey={key} tool={tool} />
      ))}
    </ul>
  )
}

function McpToolRow({ serverKey, tool }: { serverKey: string; tool: McpToolStatus }) {
  const { name, tool: ownName, description, risk, ownRisk, off, fingerprint } = tool
  const change = (choice: { off?: boolean; risk?: (typeof risks)[number] | null }) =>
    attempt(
      () => changeMcp('mcp.setTool', { key: serverKey, tool: ownName, fingerprint, ...choice }),
      'The change could not be saved',
    )
  return (
    <li className={off ? 'tool-row-off' : ''}>
      <input
        type="checkbox"
        role="switch"
        aria-label={name}
        checked={!off}
        onChange={(event) => change({ off: !event.target.checked })}
      />
      <div className="mcp-tool-text">
        <code className="tool-row-name">{name}</code>
        {description !== '' && (
          <p>
            <VisibleCode text={description} />
          </p>
        )}
      </div>
      <Select
        label={`Risk of ${name}`}
        hideLabel
        value={risk}
        className={risk === ownRisk ? '' : 'mcp-risk-lowered'}
        options={risks.map((each) => ({
          value: each,
          label: riskTexts[each].label + (each === ownRisk ? ' (default)' : ''),
        }))}
        onChange={(event) => {
          const chosen = risks.find((each) => each === event.target.value)
          if (chosen) change({ risk: chosen === ownRisk ? null : chosen })
        }}
      />
    </li>
  )
}
