import type { McpServerStatus } from '../../../shared/tools/mcp.ts'
import { inputNames } from '../../../shared/tools/mcpInputs.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/text/visibleText.ts'
import { attempt } from '../../platform/notices.ts'
import { ReplacedText } from '../../ui/diff/ReplacedText.tsx'
import { Button, Dialog, Icon, VisibleCode } from '../../ui/index.ts'
import { comparedLines, definitionLines, environmentNames, type ComparedLine } from './serverDefinition.ts'
import { changeMcp, reviewServer, useMcp } from '../../platform/mcpStore.ts'
import './mcp.css'

/**
 * Dialog to trust or refuse a workspace MCP server. Shows its full definition, and what changed since the last
 * decision.
 */
export function TrustDialog() {
  const { state, reviewing } = useMcp()
  const server = state?.servers.find(({ key }) => key === reviewing)
  return server ? <TrustQuestion key={server.key} server={server} /> : null
}

function TrustQuestion({ server }: { server: McpServerStatus }) {
  const { key, name, file, definition, before, changedFiles = [] } = server
  const lines: ComparedLine[] = before
    ? comparedLines(before, definition)
    : definitionLines(definition).map(({ label, value }) => ({ label, now: value, before: value }))
  const decide = (trusted: boolean) =>
    attempt(async () => {
      await changeMcp('mcp.trust', { key, trusted })
      reviewServer(null)
    }, 'Your decision could not be saved')
  return (
    <Dialog
      title={
        before || changedFiles.length > 0
          ? `Trust the changed MCP server "${visibleText(name)}"?`
          : `Trust the MCP server "${visibleText(name)}"?`
      }
      width={620}
      onClose={() => reviewServer(null)}
      footer={
        <>
          <Button data-autofocus onClick={() => reviewServer(null)}>
            Later
          </Button>
          <Button onClick={() => decide(false)}>Refuse</Button>
          <Button variant="primary" onClick={() => decide(true)}>
            {definition.type === 'stdio' ? 'Trust and start' : 'Trust and connect'}
          </Button>
        </>
      }
    >
      <p className="mcp-trust-text">
        {before ? (
          <>
            <code>{file}</code> in this folder changed the definition of this server.
          </>
        ) : (
          <>
            <code>{file}</code> in this folder defines this server.
          </>
        )}{' '}
        {definition.type === 'stdio'
          ? 'Tizona starts its program with your permissions. The approval modes do not restrict what the program does.'
          : 'Models send the arguments of tool calls to its address.'}{' '}
        Your decision applies to this folder until the definition or a file that it runs changes.
      </p>
      {changedFiles.length > 0 && (
        <p className="mcp-trust-text">
          {changedFiles.length === 1
            ? 'This file has changed since you trusted the server:'
            : 'These files have changed since you trusted the server:'}{' '}
          <code>{visibleText(changedFiles.join(', '))}</code>
        </p>
      )}
      <div className="mcp-definition" tabIndex={0} role="region" aria-label="Definition">
        <dl>
          {lines.map((line) => (
            <div key={line.label} className={line.now === line.before ? '' : 'mcp-definition-changed'}>
              <dt>{visibleText(line.label)}</dt>
              <dd>
                {line.now !== undefined && line.before === line.now ? (
                  <VisibleCode text={line.now} />
                ) : (
                  <ReplacedText block before={line.before} after={line.now} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <TrustFacts server={server} lines={lines} />
    </Dialog>
  )
}

/** Warnings about hidden characters, environment variables and secrets. */
function TrustFacts({
  server: { definition, inputs: known },
  lines,
}: {
  server: McpServerStatus
  lines: readonly ComparedLine[]
}) {
  const variables = environmentNames(definition)
  const inputs = inputNames(definition)
  const stored = inputs.filter((input) => known.some((each) => each.name === input && each.stored))
  const missing = inputs.filter((input) => !stored.includes(input))
  const hidden = lines.some(({ label, now }) => hasHiddenCharacters(label) || hasHiddenCharacters(now ?? ''))
  return (
    <ul className="mcp-facts">
      {hidden && (
        <li className="mcp-fact-danger">
          <Icon name="warning" />
          Hidden characters are shown as symbols.
        </li>
      )}
      {variables.length > 0 && (
        <li className="mcp-fact-warning">
          <Icon name="key" />
          <span>
            {variables.length === 1
              ? 'It receives this environment variable:'
              : 'It receives these environment variables:'}{' '}
            <code>{visibleText(variables.join(', '))}</code>
          </span>
        </li>
      )}
      {stored.length > 0 && (
        <li className="mcp-fact-warning">
          <Icon name="key" />
          <span>
            {stored.length === 1
              ? 'It receives this secret, which you stored for a server with the same name:'
              : 'It receives these secrets, which you stored for a server with the same name:'}{' '}
            <code>{visibleText(stored.join(', '))}</code>
          </span>
        </li>
      )}
      {missing.length > 0 && (
        <li>
          <Icon name="key" />
          <span>
            {missing.length === 1
              ? 'It needs this secret, which you can enter in Settings later:'
              : 'It needs these secrets, which you can enter in Settings later:'}{' '}
            <code>{visibleText(missing.join(', '))}</code>
          </span>
        </li>
      )}
    </ul>
  )
}
