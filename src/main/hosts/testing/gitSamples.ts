import type { GitRepository, GitStatusSummary } from '../../../shared/git.ts'
import type { EventRows, RequestRows } from './samples.ts'

const repository: GitRepository = { id: '/w/señal', folder: '.', name: 'señal', kind: 'repository', trusted: true }
const status: GitStatusSummary = {
  repository,
  revision: 'r1',
  branch: 'main',
  head: 'a'.repeat(40),
  upstream: { name: 'origin/main', ahead: 1, behind: 0, gone: false },
  operation: null,
  // A name that is not valid UTF-8.
  groups: { merge: [], staged: [], changes: [{ path: 'caf\udce9', kind: 'modified' }], untracked: [] },
  counts: { merge: 0, staged: 0, changes: 1, untracked: 0 },
  truncated: false,
  stashes: 0,
}
const ofRepository = { repository: repository.id }
const paths = ['caf\udce9']

type GitRequestName = Extract<keyof RequestRows, `git.${string}`>
type GitEventName = Extract<keyof EventRows, `git.${string}`>

/** Samples of the requests of the git view. */
export const gitRequestRows: Pick<RequestRows, GitRequestName> = {
  'git.repositories': { send: {}, handled: { again: false }, result: [repository] },
  'git.status': { send: ofRepository, handled: { ...ofRepository, refresh: false }, result: status },
  'git.stage': { send: { ...ofRepository, paths }, handled: { ...ofRepository, paths }, result: status },
  'git.unstage': { send: ofRepository, handled: ofRepository, result: status },
  'git.commit': {
    send: { ...ofRepository, operation: 'o1', message: 'Größe' },
    handled: {
      ...ofRepository,
      operation: 'o1',
      message: 'Größe',
      amend: false,
      signOff: false,
      all: false,
      skipHooks: false,
    },
    result: { hash: 'b'.repeat(40), status },
  },
  'git.cancel': { send: { operation: 'o1' }, handled: { operation: 'o1' }, result: undefined },
}

export const gitEventRows: Pick<EventRows, GitEventName> = {
  'git.repositoriesChanged': [repository],
  'git.changed': { status },
  'git.progress': { operation: 'o1', text: 'Receiving objects', percent: 12 },
}
