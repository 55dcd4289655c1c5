import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GitCredentialRequest } from '../../../shared/git/git.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createCredentials, type Credentials } from './gitCredentials.ts'
import { gitFolder, type GitFolder } from './testing/gitFolder.ts'

const run = promisify(execFile)

let folder: GitFolder
let data: Awaited<ReturnType<typeof temporaryFolder>>
let credentials: Credentials
let questions: GitCredentialRequest[][]
beforeEach(async () => {
  data = await temporaryFolder()
  questions = []
  credentials = createCredentials({ userData: data.root, onChanged: (open) => questions.push(open) })
  folder = await gitFolder({ credentials })
})
afterEach(async () => {
  await folder.remove()
  await credentials.dispose()
  await data.remove()
})

const plainPush = { setUpstream: false, force: false, tags: false }
const status = () => folder.service.status(folder.id, true)
const remote = () => path.join(data.root, 'remote.git')

/** Creates a remote, and a second clone whose commits the first one does not have. */
async function publish() {
  await folder.git('clone', '-q', '--bare', folder.root, remote())
  await folder.git('remote', 'add', 'origin', remote())
  return folder.service.push(folder.id, 'o', { ...plainPush, setUpstream: true })
}
async function commitElsewhere(file: string, content: string): Promise<void> {
  const other = path.join(data.root, 'other')
  await folder.git('clone', '-q', remote(), other)
  await writeFile(path.join(other, file), content)
  await folder.git('-C', other, 'add', '-A')
  await folder.git(
    '-C',
    other,
    '-c',
    'user.name=Bo',
    '-c',
    'user.email=b@example.org',
    'commit',
    '-q',
    '-m',
    'elsewhere',
  )
  await folder.git('-C', other, 'push', '-q')
}
async function commitHere(file: string, content: string): Promise<void> {
  await folder.write({ [file]: content })
  await folder.git('add', '-A')
  await folder.git('commit', '-q', '-m', 'here')
}

/** Answers each question with the next answer. */
async function answer(...answers: (string | null)[]): Promise<GitCredentialRequest[]> {
  const seen: GitCredentialRequest[] = []
  for (const each of answers) {
    await expect.poll(() => credentials.pending()[0]).toBeDefined()
    const [question] = credentials.pending()
    if (!question) continue
    seen.push(question)
    credentials.answer(question.id, each)
  }
  return seen
}

describe('a remote', () => {
  it('gets a published branch, and commits go both ways with sync', async () => {
    expect((await publish()).upstream).toEqual({ name: 'origin/main', ahead: 0, behind: 0, gone: false })
    await commitElsewhere('theirs.txt', 'theirs\n')
    await commitHere('mine.txt', 'mine\n')
    const fetched = await folder.service.fetch(folder.id, 'f', { prune: true })
    expect(fetched.upstream).toMatchObject({ ahead: 1, behind: 1 })
    await expect(folder.service.sync(folder.id, 's')).rejects.toMatchObject({ reason: 'diverged' })
    await folder.git('config', 'pull.rebase', 'true')
    expect((await folder.service.sync(folder.id, 's')).upstream).toMatchObject({ ahead: 0, behind: 0 })
    expect(await folder.git('--git-dir', remote(), 'log', '--format=%s', 'main')).toBe('here\nelsewhere\nfirst\n')
  })

  it('refuses a push that would lose commits; forced, it replaces only commits that were here', async () => {
    await publish()
    await commitElsewhere('theirs.txt', 'theirs\n')
    await commitHere('mine.txt', 'mine\n')
    await expect(folder.service.push(folder.id, 'p', plainPush)).rejects.toMatchObject({ reason: 'push_rejected' })
    const force = () => folder.service.push(folder.id, 'p', { ...plainPush, force: true })
    await expect(force()).rejects.toMatchObject({ reason: 'push_rejected' })
    // Fetched, but never merged or rebased.
    await folder.service.fetch(folder.id, 'f', { prune: false })
    await expect(force()).rejects.toMatchObject({ reason: 'push_rejected' })
    expect(await folder.git('--git-dir', remote(), 'log', '-1', '--format=%s', 'main')).toBe('elsewhere\n')
    await folder.service.pull(folder.id, 'u', 'rebase')
    await folder.service.push(folder.id, 'p', plainPush)
    await folder.git('commit', '-q', '--amend', '-m', 'amended')
    await expect(folder.service.push(folder.id, 'p', plainPush)).rejects.toMatchObject({ reason: 'push_rejected' })
    expect((await force()).upstream).toMatchObject({ ahead: 0, behind: 0 })
  })

  it('can be pulled with a merge, and a conflict is shown as one', async () => {
    await publish()
    await commitElsewhere('a.txt', 'theirs\n')
    await commitHere('a.txt', 'mine\n')
    await expect(folder.service.pull(folder.id, 'p', 'merge')).rejects.toMatchObject({ reason: 'conflicts' })
    expect(await status()).toMatchObject({ operation: { kind: 'merge' }, counts: { merge: 1 } })
    await expect(folder.service.pull(folder.id, 'p', 'merge')).rejects.toMatchObject({
      reason: 'operation_in_progress',
    })
  })

  it('that refuses commits by a hook is quoted', async () => {
    await publish()
    await mkdir(path.join(remote(), 'hooks'), { recursive: true })
    await writeFile(path.join(remote(), 'hooks/pre-receive'), '#!/bin/sh\necho "main is frozen"; exit 1\n', {
      mode: 0o755,
    })
    await commitHere('mine.txt', 'mine\n')
    await expect(folder.service.push(folder.id, 'p', plainPush)).rejects.toMatchObject({
      reason: 'push_refused_by_server',
      detail: expect.stringContaining('main is frozen'),
    })
  })

  it('is needed: without upstream or remote the reason says what to do', async () => {
    await expect(folder.service.pull(folder.id, 'p')).rejects.toMatchObject({ reason: 'no_upstream' })
    await expect(folder.service.push(folder.id, 'p', { ...plainPush, setUpstream: true })).rejects.toMatchObject({
      reason: 'no_remote',
    })
    await folder.git('remote', 'add', 'origin', path.join(data.root, 'missing.git'))
    await expect(folder.service.fetch(folder.id, 'f', { prune: false })).rejects.toMatchObject({ reason: 'no_remote' })
  })

  it('is fetched from the one that the branch pulls from, not the one it is pushed to', async () => {
    await publish()
    await folder.git('remote', 'add', 'fork', path.join(data.root, 'missing.git'))
    await folder.git('config', 'remote.pushDefault', 'fork')
    await folder.git('config', 'branch.main.pushRemote', 'fork')
    await commitElsewhere('theirs.txt', 'theirs\n')
    expect((await folder.service.fetch(folder.id, 'f', { prune: false })).upstream).toMatchObject({ behind: 1 })
  })

  it('keeps other branches when the current one is pushed by force', async () => {
    await publish()
    await folder.git('push', '-q', 'origin', 'main:other')
    await folder.git('branch', 'other')
    await folder.git('config', 'push.default', 'matching')
    await folder.git('config', 'remote.origin.push', '+refs/heads/*:refs/heads/*')
    await folder.git('commit', '-q', '--amend', '-m', 'amended')
    await folder.git('branch', '-f', 'other')
    await folder.service.push(folder.id, 'p', { ...plainPush, force: true })
    const subject = (branch: string) => folder.git('--git-dir', remote(), 'log', '-1', '--format=%s', branch)
    expect([await subject('main'), await subject('other')]).toEqual(['amended\n', 'first\n'])
  })

  it('gets a plain push under the name that its refspec has', async () => {
    await publish()
    await folder.git('config', 'remote.origin.push', 'HEAD:refs/for/main')
    await commitHere('mine.txt', 'mine\n')
    await folder.service.push(folder.id, 'p', plainPush)
    const names = await folder.git('--git-dir', remote(), 'for-each-ref', '--format=%(refname) %(subject)')
    expect(names).toBe('refs/for/main here\nrefs/heads/main first\n')
  })

  it('gets a branch under the name that push.default selects, and is left alone where git would refuse', async () => {
    await publish()
    await folder.git('switch', '-q', '-c', 'topic', '--track', 'origin/main')
    await commitHere('mine.txt', 'mine\n')
    const branches = () => folder.git('--git-dir', remote(), 'for-each-ref', '--format=%(refname:short) %(subject)')
    await expect(folder.service.push(folder.id, 'p', { ...plainPush, force: true })).rejects.toThrow('another name')
    expect(await branches()).toBe('main first\n')
    await folder.git('config', 'push.default', 'current')
    await folder.service.push(folder.id, 'p', plainPush)
    expect(await branches()).toBe('main first\ntopic here\n')
    await folder.git('config', 'push.default', 'upstream')
    await folder.service.push(folder.id, 'p', plainPush)
    expect(await branches()).toBe('main here\ntopic here\n')
  })

  it('gets all tags with a push, even of a new branch, and keeps its own even if forced', async () => {
    const tags = () => folder.git('--git-dir', remote(), 'for-each-ref', '--format=%(refname:short)', 'refs/tags')
    await folder.git('init', '-q', '--bare', remote())
    await folder.git('remote', 'add', 'origin', remote())
    await folder.git('tag', 'light')
    await folder.service.push(folder.id, 'p', { ...plainPush, setUpstream: true, tags: true })
    expect(await tags()).toBe('light\n')
    await commitHere('mine.txt', 'mine\n')
    await folder.git('tag', 'second')
    await folder.service.push(folder.id, 'p', { ...plainPush, tags: true })
    expect(await tags()).toBe('light\nsecond\n')
    await folder.git('tag', '-f', 'light')
    await expect(folder.service.push(folder.id, 'p', { ...plainPush, force: true, tags: true })).rejects.toThrow(
      'a tag of the same name',
    )
  })

  it('whose branch became a folder is not reported as a lock', async () => {
    await publish()
    await folder.git('push', '-q', 'origin', 'main:feature')
    await folder.git('--git-dir', remote(), 'branch', '-m', 'feature', 'feature/x')
    await expect(folder.service.fetch(folder.id, 'f', { prune: false })).rejects.toMatchObject({
      reason: undefined,
      message: expect.stringContaining('would be a folder of another'),
    })
    await folder.service.fetch(folder.id, 'f', { prune: true })
  })

  it('is not contacted from a restricted folder', async () => {
    folder.trusted = false
    await expect(folder.service.fetch(folder.id, 'f', { prune: false })).rejects.toMatchObject({ reason: 'restricted' })
  })
})

describe('credentials', () => {
  let server: Server
  let url: string
  /** Serves the remote as files to those who know the password. */
  beforeEach(async () => {
    await publish()
    await folder.git('--git-dir', remote(), 'update-server-info')
    server = createServer((request, response) => {
      const given = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString('utf8')
      if (given !== 'ana:pässword y') return response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
      const file = path.join(remote(), path.normalize(new URL(request.url ?? '/', 'http://x').pathname))
      readFile(file).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
    await folder.git('remote', 'set-url', 'origin', url)
  })
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  it('are asked in the window, with the host named, and not stored', async () => {
    const fetched = folder.service.fetch(folder.id, 'f', { prune: false })
    const seen = await answer('ana', 'pässword y')
    await fetched
    expect(seen).toMatchObject([
      { operation: 'f', kind: 'user_name', secret: false, subject: new URL(url).host },
      { operation: 'f', kind: 'password', secret: true, subject: new URL(url).host },
    ])
    expect(questions.at(-1)).toEqual([])
    const again = folder.service.fetch(folder.id, 'f', { prune: false })
    await answer('ana', 'pässword y')
    await again
  })

  it('are asked once for a pull, although it contacts the server twice', async () => {
    const pulled = folder.service.pull(folder.id, 'p', 'merge')
    await answer('ana', 'pässword y')
    await pulled
    expect(questions.flat().map(({ kind }) => kind)).toEqual(['user_name', 'password'])
  })

  it('come from the helper of the user first, without a question', async () => {
    const helper = path.join(data.root, 'helper')
    await writeFile(helper, '#!/bin/sh\n[ "$1" = get ] && printf "username=ana\\npassword=pässword y\\n"\n', {
      mode: 0o755,
    })
    await folder.git('config', 'credential.helper', helper)
    await folder.service.fetch(folder.id, 'f', { prune: false })
    expect(questions).toEqual([])
  })

  it('that are wrong, or cancelled, are a clear failure', async () => {
    const refused = expect(folder.service.fetch(folder.id, 'f', { prune: false })).rejects.toMatchObject({
      reason: 'authentication_failed',
    })
    await answer('ana', 'wrong')
    await refused
    const cancelled = expect(folder.service.fetch(folder.id, 'f', { prune: false })).rejects.toMatchObject({
      reason: 'authentication_failed',
      message: expect.stringContaining('none were entered') as string,
    })
    await answer(null)
    await cancelled
  })

  it('are no longer asked for when the action is cancelled', async () => {
    const fetched = expect(folder.service.fetch(folder.id, 'f', { prune: false })).rejects.toMatchObject({
      code: 'cancelled',
    })
    await expect.poll(() => credentials.pending()).toHaveLength(1)
    folder.service.cancel('f')
    await fetched
    expect(credentials.pending()).toEqual([])
  })

  it('of ssh include the question about a new host', async () => {
    const program = path.join(data.root, 'ssh')
    const question =
      "The authenticity of host 'example.org (::1)' can't be established.\nContinue (yes/no/[fingerprint])? "
    await writeFile(
      program,
      `#!/bin/sh\n[ "$($SSH_ASKPASS "${question}")" = yes ] || { echo "Host key verification failed." >&2; exit 255; }\nexit 1\n`,
    )
    await chmod(program, 0o755)
    await folder.git('config', 'core.sshCommand', program)
    await folder.git('remote', 'set-url', 'origin', 'git@example.org:a.git')
    const fetched = expect(folder.service.fetch(folder.id, 'f', { prune: false })).rejects.toMatchObject({
      reason: 'host_key_unknown',
    })
    expect(await answer('no')).toMatchObject([{ kind: 'confirm', subject: 'example.org', secret: false }])
    await fetched
  })
})

it('a commit is signed with a key whose passphrase is asked for', async () => {
  const key = path.join(data.root, 'key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'open sesame', '-C', 'ana', '-f', key])
  for (const [name, value] of [
    ['gpg.format', 'ssh'],
    ['user.signingKey', `${key}.pub`],
    ['commit.gpgSign', 'true'],
  ] as const)
    await folder.git('config', name, value)
  await folder.write({ 'a.txt': 'signed\n' })
  const commit = () =>
    folder.service.commit(folder.id, 'c', { message: 'm', amend: false, signOff: false, all: true, skipHooks: false })
  const refused = expect(commit()).rejects.toMatchObject({ reason: 'signing_failed' })
  expect(await answer(null)).toMatchObject([{ operation: 'c', kind: 'passphrase', secret: true }])
  await refused
  const committed = commit()
  await answer('open sesame')
  await committed
  expect(await folder.git('cat-file', 'commit', 'HEAD')).toContain('BEGIN SSH SIGNATURE')
})

describe('a lock of the index', () => {
  it('is removed if no git process is there', async () => {
    expect(await folder.service.lock(folder.id)).toMatchObject({ path: null, removable: false })
    await folder.write({ '.git/index.lock': '' })
    expect(await folder.service.lock(folder.id)).toMatchObject({ processes: [], removable: true })
    await folder.service.removeLock(folder.id)
    expect(await folder.service.lock(folder.id)).toMatchObject({ path: null })
  })

  it('stays while a git process runs in the repository', async () => {
    await folder.write({ '.git/index.lock': '' })
    // Waits for its input.
    const running = spawn('git', ['cat-file', '--batch'], { cwd: folder.root })
    const ended = once(running, 'close')
    await expect.poll(async () => (await folder.service.lock(folder.id)).processes).toHaveLength(1)
    await expect(folder.service.removeLock(folder.id)).rejects.toMatchObject({ reason: 'locked' })
    running.kill()
    await ended
    await folder.service.removeLock(folder.id)
  })
})

it('a partial clone fetches what the check before a pull needs', async () => {
  await publish()
  for (const name of ['allowFilter', 'allowAnySHA1InWant'])
    await folder.git('--git-dir', remote(), 'config', `uploadpack.${name}`, 'true')
  const partial = await gitFolder({ empty: true })
  try {
    await partial.git('clone', '-q', '--filter=tree:0', `file://${remote()}`, '.')
    await commitElsewhere('theirs.txt', 'theirs\n')
    const pulled = await partial.service.pull(partial.id, 'p', 'merge')
    expect(pulled.upstream).toMatchObject({ behind: 0 })
    expect(await readFile(path.join(partial.root, 'theirs.txt'), 'utf8')).toBe('theirs\n')
  } finally {
    await partial.remove()
  }
})
