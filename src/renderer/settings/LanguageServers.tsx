import { useId, useState } from 'react'
import type { LanguageServerState, LanguageServerStatus } from '../../shared/language/languageServers.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { request } from '../platform/bridge/bridge.ts'
import { storeLanguageState, useLanguages } from '../platform/languages/languageStore.ts'
import { serverStateLabels } from '../platform/languages/serverStates.ts'
import { attempt } from '../platform/notices.ts'
import { Button } from '../ui/index.ts'
import './mcp/mcp.css'

const dots: Partial<Record<LanguageServerState, string>> = {
  installing: 'endpoint-dot-warning',
  starting: 'endpoint-dot-warning',
  running: 'endpoint-dot-good',
  restarting: 'endpoint-dot-warning',
  blocked: 'endpoint-dot-bad',
  failed: 'endpoint-dot-bad',
}

/** The open folder's language servers with their state, installation and log. */
export function LanguageServers() {
  const servers = useLanguages((state) => state.servers)
  const programs = useLanguages((state) => state.programs)
  if (servers.length === 0) return <p className="settings-text">Open a folder to see its language servers.</p>
  return (
    <>
      {programs.length > 0 && <ChangedPrograms programs={programs} />}
      {servers.map((server) => (
        <ServerRow key={server.id} {...server} />
      ))}
    </>
  )
}

/** Programs in the folder that need approval. */
function ChangedPrograms({ programs }: { programs: readonly string[] }) {
  return (
    <section className="mcp-server" aria-label="Programs that need your approval">
      <p className="settings-text">
        These programs in this folder are new or have changed since you trusted it. They include language servers,
        formatters, and configuration files that run code or load plugins. They run in the sandbox.
      </p>
      {programs.map((program) => (
        <div key={program} className="mcp-server-head">
          <div className="endpoint-main">
            <code>{program}</code>
          </div>
          <span className="endpoint-actions">
            <Button
              size="small"
              aria-label={`Allow ${program}`}
              onClick={() =>
                attempt(
                  async () => storeLanguageState(await request('language.allowProgram', { path: program })),
                  `${program} could not be allowed`,
                )
              }
            >
              Allow
            </Button>
          </span>
        </div>
      ))}
    </section>
  )
}

function ServerRow({ id, title, languages, state, detail, installable, memory }: LanguageServerStatus) {
  const [log, setLog] = useState<readonly string[] | null>(null)
  const logId = useId()
  const canRestart = state === 'running' || state === 'failed' || state === 'restarting'
  const toggleLog = async (): Promise<void> =>
    setLog(log === null ? await request('language.log', { server: id }) : null)
  return (
    <section className="mcp-server" aria-label={`Language server ${title}`} data-state={state}>
      <div className="mcp-server-head">
        <span className={`endpoint-dot ${dots[state] ?? ''}`} />
        <div className="endpoint-main">
          <div className="endpoint-name">
            {title}
            <span className="mcp-state">{serverStateLabels[state]}</span>
          </div>
          <div className={state === 'failed' ? 'mcp-failure' : 'mcp-state'}>
            {languages.join(', ')}
            {detail !== '' && ` · ${detail}`}
            {memory !== undefined && ` · ${formatSize(memory)} of memory`}
          </div>
        </div>
        <span className="endpoint-actions">
          {(state === 'missing' || state === 'blocked') && installable && (
            <Button
              size="small"
              variant="primary"
              aria-label={`Install ${title}`}
              onClick={() =>
                attempt(
                  async () => storeLanguageState(await request('language.install', { server: id })),
                  `${title} could not be installed`,
                )
              }
            >
              Install
            </Button>
          )}
          {canRestart && (
            <Button
              size="small"
              aria-label={`Restart ${title}`}
              onClick={() =>
                attempt(
                  async () => storeLanguageState(await request('language.restart', { server: id })),
                  `${title} could not be restarted`,
                )
              }
            >
              Restart
            </Button>
          )}
          <Button
            size="small"
            variant="ghost"
            aria-label={`${title} log`}
            aria-expanded={log !== null}
            aria-controls={logId}
            onClick={() => attempt(toggleLog, 'The log could not be loaded')}
          >
            Log
          </Button>
        </span>
      </div>
      {log !== null && (
        <pre id={logId} className="mcp-log" tabIndex={0} role="region" aria-label={`${title} log`}>
          {log.length === 0 ? 'The log is empty.' : log.join('\n')}
        </pre>
      )}
    </section>
  )
}
