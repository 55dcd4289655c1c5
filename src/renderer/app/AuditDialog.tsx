import { useState } from 'react'
import { auditVerdicts, type AuditDecider, type AuditEntry, type AuditVerdict } from '../../shared/tools/audit.ts'
import { modeTexts } from '../../shared/tools/modeTexts.ts'
import { plural } from '../../shared/text/plural.ts'
import { sandboxText } from '../../shared/commands/sandbox.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, EmptyState, Select, TextField } from '../ui/index.ts'
import { useAudit } from './auditStore.ts'
import { auditSubject, filterAudit, type AuditFilter } from './auditFilter.ts'
import './audit.css'

const timeFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** Reloads the decisions, unless the dialog is closed in the meantime. */
async function refreshAudit(): Promise<void> {
  const audit = await request('audit.read', {})
  useAudit.setState((state) => (state.audit === null ? state : { audit }))
}

/** Maximum number of rendered entries. */
const maxShown = 200

const verdictTexts: Readonly<Record<AuditVerdict, string>> = {
  allowed: 'Allowed',
  refused: 'Refused',
  edited: 'Edited',
  withdrawn: 'Withdrawn',
}
const deciderTexts: Readonly<Record<AuditDecider, string>> = {
  user: 'Decided by you',
  session: 'Decided earlier in the session',
  rule: 'Decided by a rule',
  mode: 'Decided by the mode',
  hook: 'Decided by a hook',
}

/** Dialog with decisions about tool calls, latest first. */
export function AuditDialog() {
  const audit = useAudit((state) => state.audit)
  const [filter, setFilter] = useState<AuditFilter>({ query: '', verdict: 'all' })
  if (!audit) return null
  const found = filterAudit(audit.entries, filter)
  return (
    <Dialog
      title="Audit log"
      width={960}
      onClose={() => useAudit.setState({ audit: null })}
      footer={
        <Button icon="refresh" onClick={() => attempt(refreshAudit)}>
          Refresh
        </Button>
      }
    >
      <p className="audit-path">
        Each decision about a tool call is recorded in <code>{audit.path}</code>. File contents and keys are left out.
      </p>
      <div className="audit-filter">
        <TextField
          label="Filter"
          hideLabel
          placeholder="Filter by tool, command, path or reason"
          data-autofocus
          value={filter.query}
          onChange={(event) => setFilter({ ...filter, query: event.target.value })}
        />
        <Select
          label="Decision"
          hideLabel
          value={filter.verdict}
          onChange={(event) => setFilter({ ...filter, verdict: event.target.value as AuditFilter['verdict'] })}
          options={[
            { value: 'all', label: 'All decisions' },
            ...auditVerdicts.map((value) => ({ value, label: verdictTexts[value] })),
          ]}
        />
      </div>
      {found.length === 0 ? (
        <EmptyState icon="checklist" title={audit.entries.length === 0 ? 'No decisions yet' : 'No decision matches'} />
      ) : (
        <ul className="audit-list" tabIndex={0} aria-label="Decisions">
          {found.slice(0, maxShown).map((entry, index) => (
            <Entry key={`${entry.callId} ${entry.at} ${index}`} entry={entry} />
          ))}
        </ul>
      )}
      <p className="audit-path" role="status">
        {found.length > maxShown
          ? `Showing the latest ${maxShown} of ${plural(found.length, 'decision')}.`
          : `${plural(found.length, 'decision')}.`}
        {audit.truncated ? ' Older decisions are in the audit log files.' : ''}
      </p>
    </Dialog>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, verdict, by, tool, mode, reason, sandbox, source, workspace } = entry
  const subject = auditSubject(entry)
  return (
    <li className="audit-entry" data-verdict={verdict}>
      <div className="audit-head">
        <span className="audit-verdict">{verdictTexts[verdict]}</span>
        <span>{verdict === 'withdrawn' ? 'No decision' : deciderTexts[by]}</span>
        <code>{visibleText(tool)}</code>
        <span className="audit-muted">
          {modeTexts[mode].label}
          {sandbox ? ` · ${sandboxText(sandbox)}` : ''}
          {source === undefined ? '' : ` · ${visibleText(source)}${sandbox ? '' : ' · The hook did not run'}`}
        </span>
        <time className="audit-time" dateTime={new Date(at).toISOString()} title={workspace}>
          {timeFormat.format(new Date(at))}
        </time>
      </div>
      {subject !== '' && <code className="audit-subject">{visibleText(subject)}</code>}
      {reason !== undefined && <div className="audit-muted">{visibleText(reason)}</div>}
    </li>
  )
}
