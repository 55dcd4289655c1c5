import { inputNames, type McpServerStatus } from '../../../shared/mcp.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/visibleText.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Dialog, Icon, VisibleCode } from '../../ui/index.ts'
import { comparedLines, definitionLines, environmentNames, type ComparedLine } from './serverDefinition.ts'
import { changeMcp, reviewServer, useMcp } from '../../platform/mcpStore.ts'
import './mcp.css'

/** Shows the full definition of a workspace's server and asks whether to trust it. */
export function TrustDialog() {
  const { state, reviewing } = useMcp()
  const server = state?.servers.find(({ key }) => key === reviewing)
  return server ? <TrustQuestion key={server.key} server={server} /> : null
}

function TrustQuestion({ server }: { server: McpServerStatus }) {
  const { key, name, file, definition, before } = server
  const lines: ComparedLine[] = before
    ? comparedLines(before, definition)
    : definitionLines(definition).map(({ label, value }) => ({ label, now: value, before: value }))
  const decide = (trusted: boolean) =>
    attempt(async () => {
      await changeMcp('mcp.trust', { key, trusted })
      reviewServer(null)
    }, 'The answer was not taken')
  return (
    <Dialog
      title={`${before ? 'Trust the changed' : 'Trust the'} MCP server “${visibleText(name)}”?`}
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
        <code>{file}</code> of this folder {before ? 'defines it differently now' : 'names it'}.{' '}
        {definition.type === 'stdio'
          ? 'The program runs on this machine with your rights, outside the rules that hold for the agent.'
          : 'What a model sends to its tools goes to that address.'}{' '}
        Your answer holds for this folder until the definition changes.
      </p>
      <div className="mcp-definition" tabIndex={0} role="region" aria-label="Definition">
        <dl>
          {lines.map((line) => (
            <div key={line.label} className={line.now === line.before ? '' : 'mcp-definition-changed'}>
              <dt>{visibleText(line.label)}</dt>
              <dd>
                {line.before !== undefined && line.before !== line.now && (
                  <del>
                    <span className="visually-hidden">was </span>
                    <VisibleCode text={line.before} />
                  </del>
                )}
                {line.now !== undefined &&
                  (line.before === line.now ? (
                    <VisibleCode text={line.now} />
                  ) : (
                    <ins>
                      <VisibleCode text={line.now} />
                    </ins>
                  ))}
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <Facts server={server} lines={lines} />
    </Dialog>
  )
}

/** Explains what the definition does not show. */
function Facts({
  server: { definition, inputs: known },
  lines,
}: {
  server: McpServerStatus
  lines: readonly ComparedLine[]
}) {
  const variables = environmentNames(definition)
  const inputs = inputNames(definition)
  const stored = inputs.filter((input) => known.some((each) => each.name === input && each.stored))
  const wanted = inputs.filter((input) => !stored.includes(input))
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
            It is given {variables.length === 1 ? 'a variable' : 'variables'} of your environment:{' '}
            <code>{visibleText(variables.join(', '))}</code>
          </span>
        </li>
      )}
      {stored.length > 0 && (
        <li className="mcp-fact-warning">
          <Icon name="key" />
          <span>
            It is given {stored.length === 1 ? 'a secret' : 'secrets'} that you stored for a server of this name:{' '}
            <code>{visibleText(stored.join(', '))}</code>
          </span>
        </li>
      )}
      {wanted.length > 0 && (
        <li>
          <Icon name="key" />
          <span>
            It wants {wanted.length === 1 ? 'a secret' : 'secrets'}, which you enter in the settings afterwards:{' '}
            <code>{visibleText(wanted.join(', '))}</code>
          </span>
        </li>
      )}
    </ul>
  )
}
