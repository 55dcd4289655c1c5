import type { AuditEntry, AuditVerdict } from '../../shared/tools/audit.ts'

export interface AuditFilter {
  /** Words that must all occur, in any order, ignoring case. */
  query: string
  verdict: AuditVerdict | 'all'
}

/** Returns the entries that match. */
export function filterAudit(entries: readonly AuditEntry[], { query, verdict }: AuditFilter): AuditEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter((entry) => {
    if (verdict !== 'all' && entry.verdict !== verdict) return false
    const text = searchText(entry)
    return words.every((word) => text.includes(word))
  })
}

function searchText({ tool, mode, risk, by, source, reason, conversationId, ...entry }: AuditEntry): string {
  return [tool, mode, risk, by, source ?? '', auditSubject(entry), reason ?? '', conversationId ?? '']
    .join(' ')
    .toLowerCase()
}

/** Returns what a call was about: its command, request or paths. */
export function auditSubject({
  command,
  scope,
  reads = [],
  writes = [],
}: Pick<AuditEntry, 'command' | 'scope' | 'reads' | 'writes'>): string {
  return command ?? scope ?? [...new Set([...writes, ...reads])].join(', ')
}
