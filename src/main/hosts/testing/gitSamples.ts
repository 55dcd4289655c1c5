import type {
  GitCommitEntry,
  GitCredentialRequest,
  GitDiscardResult,
  GitRepository,
  GitStatusSummary,
} from '../../../shared/git/git.ts'
import type { EventRows, RequestRows } from './sampleTypes.ts'

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
const path = 'src/a.ts'
const action = { ...ofRepository, operation: 'o1' }
const discarded: GitDiscardResult = { status, backup: 3, skipped: [{ path, why: 'It is a link.' }] }
const commit = 'b'.repeat(40)
const entry: GitCommitEntry = {
  hash: commit,
  parents: [status.head ?? ''],
  author: { name: 'Ana', email: 'ana@example.org' },
  authoredAt: 1,
  committedAt: 2,
  subject: 'Größe',
  refs: [{ kind: 'branch', name: 'main', head: true }],
}
const question: GitCredentialRequest = {
  id: 'q1',
  operation: 'o1',
  kind: 'password',
  secret: true,
  subject: 'example.org',
  prompt: "Password for 'https://ana@example.org': ",
}
const page = { skip: 0, limit: 100 }
const changes = [{ before: { line: 1, text: ['a'] }, after: { line: 1, text: [] } }]

type GitRequestName = Extract<keyof RequestRows, `git.${string}`>
type GitEventName = Extract<keyof EventRows, `git.${string}`>

/** Samples of the requests of the git view. */
export const gitRequestRows: Pick<RequestRows, GitRequestName> = {
  'git.repositories': { send: {}, handled: { again: false }, result: [repository] },
  'git.initialize': { send: {}, handled: {}, result: [repository] },
  'git.status': { send: ofRepository, handled: { ...ofRepository, refresh: false }, result: status },
  'git.stage': { send: { ...action, paths }, handled: { ...action, paths }, result: status },
  'git.unstage': { send: action, handled: action, result: status },
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
  'git.discard': {
    send: { ...action, paths, group: 'changes' },
    handled: { ...action, paths, group: 'changes' },
    result: discarded,
  },
  'git.undoDiscard': {
    send: { ...action, backup: 3, only: paths },
    handled: { ...action, backup: 3, only: paths },
    result: discarded,
  },
  'git.applyLines': {
    send: { ...action, path, action: 'stage', changes },
    handled: { ...action, path, action: 'stage', changes },
    result: { ...discarded, backup: null },
  },
  'git.fileAt': {
    send: { ...ofRepository, path, at: { commit } },
    handled: { ...ofRepository, path, at: { commit } },
    result: { kind: 'text', id: commit, text: 'a\n', encoding: 'utf8', eol: '\r\n' },
  },
  'git.resolve': {
    send: { ...action, path, take: 'ours' },
    handled: { ...action, path, take: 'ours' },
    result: discarded,
  },
  'git.unresolve': { send: { ...action, paths }, handled: { ...action, paths }, result: discarded },
  'git.operation': {
    send: { ...action, step: 'abort' },
    handled: { ...action, step: 'abort' },
    result: discarded,
  },
  'git.references': {
    send: ofRepository,
    handled: ofRepository,
    result: {
      local: [{ name: 'main', commit, subject: 'Größe', committedAt: 2, current: true }],
      remote: [],
      tags: [{ name: 'v1', commit, subject: 'one', createdAt: 2 }],
      remotes: [{ name: 'origin', url: 'https://example.org/a.git' }],
      truncated: false,
    },
  },
  'git.createBranch': {
    send: { ...action, name: 'señal' },
    handled: { ...action, name: 'señal', switch: true },
    result: status,
  },
  'git.switch': {
    send: { ...action, target: 'main' },
    handled: { ...action, target: 'main', track: false, detach: false },
    result: { status, leftBehind: { commit, count: 2 } },
  },
  'git.deleteBranch': {
    send: { ...action, name: 'old' },
    handled: { ...action, name: 'old', force: false },
    result: { commit, status },
  },
  'git.renameBranch': {
    send: { ...action, name: 'next', to: 'later' },
    handled: { ...action, name: 'next', to: 'later' },
    result: status,
  },
  'git.merge': { send: { ...action, branch: 'next' }, handled: { ...action, branch: 'next' }, result: status },
  'git.applyCommit': {
    send: { ...action, commit, how: 'revert' },
    handled: { ...action, commit, how: 'revert' },
    result: status,
  },
  'git.createTag': { send: { ...action, name: 'v1' }, handled: { ...action, name: 'v1' }, result: status },
  'git.deleteTag': {
    send: { ...action, name: 'v1' },
    handled: { ...action, name: 'v1' },
    result: { commit, status },
  },
  'git.stashes': {
    send: ofRepository,
    handled: ofRepository,
    result: [{ hash: commit, index: 0, message: 'half', branch: 'main', createdAt: 1 }],
  },
  'git.stash': { send: action, handled: { ...action, message: '', untracked: true }, result: status },
  'git.applyStash': {
    send: { ...action, hash: commit },
    handled: { ...action, hash: commit, pop: false },
    result: status,
  },
  'git.dropStash': {
    send: { ...action, hash: commit },
    handled: { ...action, hash: commit },
    result: status,
  },
  'git.restoreStash': {
    send: { ...action, hash: commit, message: 'half' },
    handled: { ...action, hash: commit, message: 'half' },
    result: status,
  },
  'git.log': {
    send: { ...ofRepository, text: 'fix' },
    handled: { ...ofRepository, all: false, text: 'fix', ...page },
    result: { commits: [entry], more: true },
  },
  'git.fileHistory': {
    send: { ...ofRepository, path },
    handled: { ...ofRepository, path, ...page },
    result: { commits: [{ ...entry, path: 'old.ts' }], more: false },
  },
  'git.commitDetails': {
    send: { ...ofRepository, commit },
    handled: { ...ofRepository, commit },
    result: {
      ...entry,
      message: 'Größe\n\nwhy',
      files: [{ path, kind: 'modified', added: 1, removed: null }],
      truncated: false,
    },
  },
  'git.compare': {
    send: { ...ofRepository, from: 'v1', to: 'main' },
    handled: { ...ofRepository, from: 'v1', to: 'main' },
    result: { files: [{ path, from: 'old.ts', kind: 'renamed', added: 0, removed: 0 }], truncated: false },
  },
  'git.blame': {
    send: { ...ofRepository, path },
    handled: { ...ofRepository, path },
    result: {
      lines: [0, -1],
      commits: [{ hash: commit, author: 'Ana', email: 'ana@example.org', authoredAt: 1, subject: 'Größe', path }],
    },
  },
  'git.draftMessage': {
    send: { ...action, conversation: 'c1' },
    handled: { ...action, conversation: 'c1' },
    result: 'add Größe',
  },
  'git.fetch': { send: action, handled: { ...action, prune: false }, result: status },
  'git.pull': { send: { ...action, strategy: 'rebase' }, handled: { ...action, strategy: 'rebase' }, result: status },
  'git.push': { send: action, handled: { ...action, setUpstream: false, force: false, tags: false }, result: status },
  'git.sync': { send: action, handled: action, result: status },
  'git.clone': {
    send: { operation: 'o1', url: 'https://example.org/a.git', folder: '/w' },
    handled: { operation: 'o1', url: 'https://example.org/a.git', folder: '/w' },
    result: { path: '/w/a' },
  },
  'git.lock': {
    send: ofRepository,
    handled: ofRepository,
    result: { path: '/w/.git/index.lock', createdAt: 1, processes: [{ pid: 7, command: 'git gc' }], removable: false },
  },
  'git.setIdentity': {
    send: { ...ofRepository, name: 'Zoë', email: 'zoe@example.org', scope: 'all' },
    handled: { ...ofRepository, name: 'Zoë', email: 'zoe@example.org', scope: 'all' },
    result: undefined,
  },
  'git.removeLock': { send: ofRepository, handled: ofRepository, result: status },
  'git.credentialRequests': { send: {}, handled: {}, result: [question] },
  'git.answerCredential': { send: { id: 'q1', answer: null }, handled: { id: 'q1', answer: null }, result: undefined },
  'git.running': { send: {}, handled: {}, result: [{ ...action, repository: null, action: 'git.clone' }] },
  'git.cancel': { send: { operation: 'o1' }, handled: { operation: 'o1' }, result: undefined },
}

export const gitEventRows: Pick<EventRows, GitEventName> = {
  'git.repositoriesChanged': [repository],
  'git.changed': { status },
  'git.credentialsChanged': [question],
  'git.actionEnded': { operation: 'o1' },
  'git.progress': { operation: 'o1', text: 'Receiving objects', percent: 12 },
}
