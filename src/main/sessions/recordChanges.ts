import { ToolError } from '../../shared/errors.ts'
import type { SessionFileAccess } from './sessionDeps.ts'
import type { SessionRecord } from './sessionRecords.ts'

/** Changes the record of a session. @throws ToolError `not_found` if another process has removed it */
export async function changeRecord(
  records: SessionFileAccess,
  id: string,
  change: Partial<SessionRecord> | ((session: SessionRecord) => Partial<SessionRecord>),
): Promise<SessionRecord> {
  const { sessions } = await records.update((file) => ({
    ...file,
    sessions: file.sessions.map((session) =>
      session.id === id ? { ...session, ...(typeof change === 'function' ? change(session) : change) } : session,
    ),
  }))
  const changed = sessions.find((session) => session.id === id)
  if (changed === undefined)
    throw new ToolError(
      'not_found',
      'The session was removed by another window or command.',
      'List the sessions again.',
    )
  return changed
}

export async function dropRecord(records: SessionFileAccess, id: string): Promise<void> {
  await records.update((file) => ({ ...file, sessions: file.sessions.filter((session) => session.id !== id) }))
}
