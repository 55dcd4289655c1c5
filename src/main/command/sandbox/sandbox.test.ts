import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  readdir,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findProgramByName } from '../../base/programSearch.ts'
import type { CommandRequest } from '../commandTypes.ts'
import { createJobs } from '../jobs.ts'
import type { Jobs } from '../jobTypes.ts'
import { createScanner } from './folderScan.ts'
import { sweepPlaceholders } from './placeholderRecord.ts'
import { createPlaceholders } from './placeholders.ts'
import { createSandbox } from './sandbox.ts'
import { probeSandbox } from './sandboxProbe.ts'

// Uses the real bubblewrap. Each test checks what a command can do and what it leaves behind.

const exec = promisify(execFile)
const probed = await probeSandbox()
const never = new AbortController().signal
const protectedNames = /(?:^|\/)(?:\.vscode|\.npmrc|\.envrc|\.husky|\.mcp\.json)(?:\/|$)/

const secretNames = /(?:^|\/)(?:\.env|\.envrc|server\.key)$/

let base: string
let root: string
let jobs: Jobs

beforeEach(async ({ skip }) => {
  if (probed.program === undefined)
    skip(probed.state.kind === 'unavailable' ? `no sandbox: ${probed.state.reason}` : 'no sandbox')
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-sandbox-')))
  root = path.join(base, 'workspace')
  await mkdir(root)
  await mkdir(path.join(base, 'data'))
  await mkdir(path.join(base, 'home', '.ssh'), { recursive: true })
  await writeFile(path.join(base, 'home', '.ssh', 'id_ed25519'), 'private key\n')
  await writeFile(path.join(base, 'data', 'secrets.json'), '{"key":"sk-1"}')
  open()
})

afterEach(async () => {
  await jobs?.dispose()
  if (base !== undefined) await rm(base, { recursive: true, force: true })
})

function open(environment: NodeJS.ProcessEnv = {}, program = probed.program): void {
  jobs = createJobs({
    workspaceRoot: root,
    graceMs: 300,
    environment: { PATH: process.env.PATH, HOME: path.join(base, 'home'), ...environment },
    onChanged: () => undefined,
    onOutput: () => undefined,
    sandbox: createSandbox({
      probe: async () => ({ ...probed, program }),
      workspace: { root },
      home: path.join(base, 'home'),
      userData: path.join(base, 'data'),
      enabled: () => true,
      scanner: createScanner(root, {
        isProtected: (name) => protectedNames.test(name),
        isSecret: (name) => secretNames.test(name),
      }),
    }),
  })
}

const run = (command: string, rest: Partial<CommandRequest> = {}) =>
  jobs.run({ run: { command }, cwd: root, ...rest }, never)

const git = (...args: string[]) =>
  exec('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: root,
    env: { ...process.env, HOME: base },
  })

it('is checked once, with its first scan, before the first command', async () => {
  await jobs.dispose()
  let probes = 0
  let scans = 0
  const scanner = createScanner(root, { isProtected: () => false, isSecret: () => false })
  jobs = createJobs({
    workspaceRoot: root,
    graceMs: 300,
    environment: { PATH: process.env.PATH, HOME: path.join(base, 'home') },
    onChanged: () => undefined,
    onOutput: () => undefined,
    sandbox: createSandbox({
      async probe() {
        probes += 1
        return probed
      },
      workspace: { root },
      home: path.join(base, 'home'),
      userData: path.join(base, 'data'),
      enabled: () => true,
      scanner: {
        ...scanner,
        scan() {
          scans += 1
          return scanner.scan()
        },
      },
    }),
  })
  jobs.prepare()
  jobs.prepare()
  await expect.poll(() => scans).toBe(1)
  expect((await run('true')).job.exitCode).toBe(0)
  expect(probes).toBe(1)
})

it('a formatter gets the text through pipes unchanged, without network and writing outside the workspace', async () => {
  const outside = path.join(base, 'outside.txt')
  const program = path.join(root, 'format')
  const network = '/proc/self/ns/net'
  const script = `#!/bin/sh\ntouch ${outside} 2>/dev/null\ncat\necho warning >&2\nreadlink ${network} >&2\nexit 3\n`
  await writeFile(program, script, { mode: 0o755 })
  const input = 'tab\t\r\nü\u0007 end without line break'
  const outcome = await jobs.filter(
    { program, confinement: 'required', args: [], cwd: root, input, timeoutMs: 20_000 },
    never,
  )
  expect(outcome).toEqual({ exitCode: 3, output: input, errors: expect.stringMatching(/^warning\nnet:/) })
  expect(outcome.errors).not.toContain(await readlink(network))
  expect(await readdir(base)).toEqual(['data', 'home', 'workspace'])
})

describe('a sandboxed command', () => {
  it('writes in the workspace and reads the system', async () => {
    const { job, output } = await run('echo text > made.txt && cat made.txt && test -f /etc/passwd && test -d /usr/bin')
    expect(output).toBe('text\n')
    expect(job).toMatchObject({ exitCode: 0, sandbox: { sandboxed: true, network: false } })
    expect(await readFile(path.join(root, 'made.txt'), 'utf8')).toBe('text\n')
  })

  it('passes on the exit code and the arguments of a program', async () => {
    expect((await run('exit 3')).job.exitCode).toBe(3)
    const { output } = await jobs.run(
      { run: { program: 'printf', args: ['%s\n', '$HOME; ls', 'a b'] }, cwd: root },
      never,
    )
    expect(output).toBe('$HOME; ls\na b\n')
  })

  it('cannot write outside the workspace', async () => {
    const outside = path.join(base, 'outside.txt')
    const { job } = await run(`echo x > ${outside}; echo x > /usr/made-by-command; ls /usr/made-by-command`)
    expect(job.exitCode).not.toBe(0)
    expect(await readdir(base)).toEqual(['data', 'home', 'workspace'])
  })

  it('sees neither the home, nor other homes, nor the user data', async () => {
    const { output } = await run(
      `cat ~/.ssh/id_ed25519; cat ${base}/data/secrets.json; ls -A ~ ${base}/data ${homedir()} /home /run /tmp`,
    )
    expect(output).not.toMatch(/private key|sk-1|\.bashrc|docker/)
  })

  it('finds no variables of Tizona or keys, not even in /proc', async () => {
    await jobs.dispose()
    open({ OPENAI_API_KEY: 'sk-2', AWS_SECRET_ACCESS_KEY: 'aws', TIZONA_TOKEN: 'tt', MY_VAR: 'mine', CARGO_HOME: '/c' })
    const { output } = await run('env; for file in /proc/[0-9]*/environ; do tr "\\0" "\\n" < $file; done')
    expect(output).toContain('CARGO_HOME=/c')
    expect(output).not.toMatch(/sk-2|=aws|=tt|MY_VAR/)
  })

  it('sees no other processes', async () => {
    const { output } = await run('ls -d /proc/[0-9]* | wc -l')
    expect(Number(output)).toBeLessThan(10)
  })

  it('has no capabilities and cannot mount', async () => {
    const { output } = await run('grep CapEff /proc/self/status; mount -t tmpfs none /mnt 2>/dev/null || echo refused')
    expect(output).toMatch(/CapEff:\s0+\n[^]*refused/)
  })

  it('has a terminal with job control and cannot type into it', async () => {
    const { output } = await run(
      `test -t 0 && test -t 1 && echo terminal; python3 -c 'import fcntl,termios
try:
  fcntl.ioctl(0, termios.TIOCSTI, b"x")
  print("typed")
except OSError as error:
  print("refused", error.errno)'`,
    )
    expect(output).toContain('terminal')
    expect(output).toContain('refused 1')
  })

  it('that is Node starts threads and programs, and lists network interfaces', async () => {
    await writeFile(
      path.join(root, 'a.cjs'),
      `new (require('node:worker_threads').Worker)('1', { eval: true }).on('exit', () =>
        console.log(require('node:child_process').execFileSync('echo', ['program']) + Object.keys(require('node:os').networkInterfaces())))`,
    )
    expect((await run('node a.cjs')).output).toBe('program\nlo\n')
  })

  it('builds with Go in a folder without git, whose placeholder Go takes for a repository', async ({ skip }) => {
    if (findProgramByName('go', process.env.PATH ?? '') === undefined) skip('go is not installed')
    await writeFile(path.join(root, 'go.mod'), 'module sample\n')
    await writeFile(path.join(root, 'main.go'), 'package main\n\nfunc main() {}\n')
    const { output } = await run('go build -o sample . && echo built')
    expect(output).toContain('built')
  })

  it('leaves nothing in the workspace', async () => {
    await run('true')
    expect(await readdir(root)).toEqual([])
  })
})

describe('files in the workspace', () => {
  it('with secrets are empty or cannot be read', async () => {
    await writeFile(path.join(root, '.env'), 'KEY=secret\n')
    await writeFile(path.join(root, '.env.example'), 'KEY=\n')
    await writeFile(path.join(root, 'server.key'), 'secret')
    const { output } = await run('cat .env; cat .env.example; echo x > .env; cat server.key')
    expect(output).toMatch(/^KEY=\n/)
    expect(output).not.toContain('secret')
    expect(await readFile(path.join(root, '.env'), 'utf8')).toBe('KEY=secret\n')
  })

  it('with secrets are shown to a command that was approved for exactly them', async () => {
    await writeFile(path.join(root, '.env'), 'KEY=secret\n')
    await writeFile(path.join(root, 'server.key'), 'other')
    const sandbox = { sandboxed: true, network: false, secrets: ['.env'] } as const
    const approved = await run('cat .env; cat server.key', { sandbox })
    expect(approved.output).toMatch(/^KEY=secret\n/)
    expect(approved.output).not.toContain('other')
    expect((await run('cat .env')).output).toBe('')
  })

  it('with secrets stay read-only for an approved command if they are protected too', async () => {
    await writeFile(path.join(root, '.envrc'), 'export KEY=secret\n')
    const sandbox = { sandboxed: true, network: false, secrets: ['.envrc'] } as const
    const { output } = await run('cat .envrc; echo evil > .envrc', { sandbox })
    expect(output).toMatch(/^export KEY=secret\n/)
    expect(await readFile(path.join(root, '.envrc'), 'utf8')).toBe('export KEY=secret\n')
  })

  it('that run code later are reported if a command creates them below the root', async () => {
    const { job } = await run('mkdir -p sub/.vscode && echo {} > sub/.vscode/tasks.json && git init -q --bare bare')
    expect(job.protectedChanges).toEqual({ created: ['bare', 'sub/.vscode/tasks.json'], changed: [], more: 0 })
    expect((await run('echo > sub/other.txt')).job.protectedChanges).toBeUndefined()
  })

  it('that a killed Tizona left as placeholders are removed at the next start', async () => {
    const left = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--no-warnings',
        '-e',
        `
      const { createPlaceholders } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'placeholders.ts')).href)})
      await createPlaceholders(process.argv[1]).cover([process.argv[2]])
      console.log('covered')
      setInterval(() => {}, 1000)
    `,
        path.join(base, 'records'),
        root,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(left.stdout, 'data')
    expect(await readdir(root)).toContain('.vscode')
    await writeFile(path.join(root, '.idea', 'mine.xml'), '<x/>')
    left.kill('SIGKILL')
    await once(left, 'exit')
    await sweepPlaceholders(path.join(base, 'records'))
    expect(await readdir(root)).toEqual(['.idea'])
    expect(await readdir(path.join(base, 'records'))).toEqual([])
  })

  it('outside the workspace are not created or removed where a folder was swapped for a link', async () => {
    const outside = path.join(base, 'outside')
    const records = path.join(base, 'records')
    await mkdir(path.join(outside, '.git'), { recursive: true })
    await symlink(outside, path.join(root, 'sub'))
    const dotGit = path.join(root, 'sub', '.git')
    const places = [{ path: path.join(dotGit, 'hooks') }, { path: path.join(dotGit, 'commondir'), content: '.\n' }]
    const { mounts, release } = await createPlaceholders(records).cover([root], places)
    expect(mounts.filter((mount) => mount.path.startsWith(dotGit))).toEqual([])
    expect(await readdir(path.join(outside, '.git'))).toEqual([])
    await release()
    // What a killed Tizona recorded is swapped before the next start.
    await mkdir(path.join(outside, '.git', 'hooks'))
    await writeFile(path.join(outside, '.git', 'commondir'), '.\n')
    await mkdir(records, { recursive: true })
    const record = { owner: { pid: 999_999, start: '1' }, folders: [places[0]?.path], files: [places[1]] }
    await writeFile(path.join(records, '999999.json'), JSON.stringify(record))
    createPlaceholders(records)
    await expect.poll(() => readdir(records)).toEqual([])
    expect((await readdir(path.join(outside, '.git'))).toSorted()).toEqual(['commondir', 'hooks'])
  })

  it('that are protected cannot be changed, moved or replaced', async () => {
    await mkdir(path.join(root, '.vscode'))
    await writeFile(path.join(root, '.vscode', 'tasks.json'), '{}')
    await writeFile(path.join(root, '.envrc'), 'true\n')
    await run(
      'echo evil > .vscode/tasks.json; rm -rf .vscode; mv .vscode x; echo evil > .envrc; rm -f .envrc; mv .envrc y',
    )
    expect(await readFile(path.join(root, '.vscode', 'tasks.json'), 'utf8')).toBe('{}')
    expect(await readFile(path.join(root, '.envrc'), 'utf8')).toBe('true\n')
    expect((await readdir(root)).toSorted()).toEqual(['.envrc', '.vscode'])
  })

  it('that are protected and absent cannot be created', async () => {
    const { job } = await run(
      'mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; mkdir .vscode; echo evil > .vscode/tasks.json; echo evil > .npmrc; rm -rf .vscode .npmrc .git; mv .vscode x; echo evil > .envrc',
    )
    expect(job.exitCode).not.toBe(0)
    expect(await readdir(root)).toEqual([])
  })

  it('that another running command covers stay covered', async () => {
    const first = run('sleep 1; echo evil > .envrc')
    expect((await run('true')).job.exitCode).toBe(0)
    await first
    expect(await readdir(root)).toEqual([])
  })

  it('that another running command covers let a command run in a folder without git', async () => {
    const first = run('sleep 60')
    await expect.poll(() => readdir(root)).toContain('.git')
    // The place is covered before the command starts.
    await expect.poll(() => jobs.list()).toHaveLength(1)
    const [server] = jobs.list()
    const second = await run('mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; git init -q; echo ran')
    expect(second.output).toContain('ran\n')
    expect(second.job.exitCode).toBe(0)
    const third = run('touch started; until [ -e ended ]; do sleep 0.1; done')
    await expect.poll(() => readdir(root)).toContain('started')
    await jobs.stop(server?.id ?? '')
    await first
    await writeFile(path.join(root, 'ended'), '')
    expect((await third).job).toMatchObject({ exitCode: 0, protectedChanges: undefined })
    expect(await readdir(root)).toEqual(['ended', 'started'])
  })
})

describe('a folder that another process replaces while the sandbox is prepared', () => {
  /** Replaces bubblewrap by a program that runs `script`, then bubblewrap with the same arguments. */
  async function openWith(script: string): Promise<void> {
    await jobs.dispose()
    const program = path.join(base, 'bwrap')
    await writeFile(program, `#!/bin/bash\n${script}\nexec ${probed.program} "$@"\n`, { mode: 0o755 })
    open({}, program)
  }

  it.each([
    ['by a link', 'cd "$ROOT"; mv a b; ln -s ../home a'],
    [
      'only for the source',
      'for i; do shift; if [ "$previous" = --bind ] && [ "$i" = "$ROOT/a/.git" ]; then set -- "$@" "$ROOT/../home/.git"; else set -- "$@" "$i"; fi; previous=$i; done',
    ],
  ])('ends the command before it starts: %s', async (_how, script) => {
    await exec('git', ['init', '-q', path.join(root, 'a')])
    await exec('git', ['init', '-q', path.join(base, 'home')])
    await writeFile(path.join(base, 'home', '.git', 'secret'), 'private key\n')
    await writeFile(path.join(base, 'home', '.git', 'commondir'), '.\n')
    await openWith(`ROOT=${root}\n${script}`)
    const { job, output } = await run('cat ~/.git/secret a/.git/secret; echo ran')
    expect(output).not.toContain('private key')
    expect(output).toContain('was replaced while it was prepared')
    expect(output).not.toContain('ran\n')
    expect(job.exitCode).toBe(126)
  })
})

describe('git', () => {
  it('commits, but hooks and configuration are read-only', async () => {
    await git('init', '-q')
    await writeFile(path.join(root, 'a.txt'), 'a\n')
    const { job, output } = await run(
      'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git add a.txt && git -c user.name=a -c user.email=a@b commit -q -m second && git log --oneline | wc -l',
    )
    expect([job.exitCode, output.trim()]).toEqual([0, '2'])
    const before = await readFile(path.join(root, '.git', 'config'), 'utf8')
    await run(
      'echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil; echo evil >> .git/config; mv .git x; mv .git/hooks .git/old; rm -rf .git/config',
    )
    expect(await readFile(path.join(root, '.git', 'config'), 'utf8')).toBe(before)
    expect(await readdir(root)).toEqual(['.git', 'a.txt'])
    expect(await readdir(path.join(root, '.git', 'hooks'))).not.toContain('pre-commit')
  })

  it('finds no way to configuration and hooks that are absent in the git folder', async () => {
    await git('init', '-q', '--template=')
    await git('config', 'extensions.worktreeConfig', 'true')
    await mkdir(path.join(root, 'evil'))
    const files = ['hooks/pre-commit', 'config.worktree', 'commondir']
    const { output } = await run(
      `for f in ${files.join(' ')}; do mkdir -p .git/hooks; echo ../evil > .git/$f || mv -f evil .git/$f; done; rmdir .git/hooks; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --oneline | wc -l`,
    )
    expect(output.trim().split('\n').at(-1)).toBe('1')
    const left = await readdir(path.join(root, '.git'), { recursive: true })
    expect(files.filter((name) => left.includes(name))).toEqual([])
    expect(left).not.toContain('hooks')
    await git('status')
  })

  it('works in several commands at once, which share what covers absent places', async () => {
    await git('init', '-q', '--template=')
    const line =
      'git status -s && echo evil > .git/hooks/pre-commit; sleep 0.$((RANDOM % 5)); echo evil > .git/commondir; echo ran'
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const first = await run(line)
        return [first.output, (await run(`${line}; : ${index}`)).output]
      }),
    )
    for (const output of outputs.flat()) expect(output).toContain('ran')
    expect(await readdir(path.join(root, '.git'))).not.toEqual(expect.arrayContaining(['hooks']))
    expect(await readdir(path.join(root, '.git'))).not.toEqual(expect.arrayContaining(['commondir']))
  })

  it('cannot change hooks and configuration outside the git folder', async () => {
    await git('init', '-q')
    await mkdir(path.join(root, 'tools', 'hooks'), { recursive: true })
    await writeFile(path.join(root, 'tools', 'hooks', 'pre-push'), '#!/bin/sh\n')
    await writeFile(path.join(root, 'tools', 'team.config'), '[user]\n\tname = a\n')
    await git('config', 'core.hooksPath', 'tools/hooks')
    await git('config', 'include.path', '../tools/team.config')
    await writeFile(path.join(root, 'tools', 'check.sh'), '#!/bin/sh\n')
    await git('config', 'hook.check.command', 'sh tools/check.sh --fast')
    await run(
      'echo evil > tools/check.sh; rm tools/check.sh; echo evil > tools/hooks/pre-push; echo evil > tools/hooks/pre-commit; echo evil > tools/team.config; echo x > a.txt',
    )
    expect(await readdir(path.join(root, 'tools', 'hooks'))).toEqual(['pre-push'])
    expect(await readFile(path.join(root, 'tools', 'hooks', 'pre-push'), 'utf8')).toBe('#!/bin/sh\n')
    expect(await readFile(path.join(root, 'tools', 'team.config'), 'utf8')).not.toContain('evil')
    expect(await readFile(path.join(root, 'tools', 'check.sh'), 'utf8')).toBe('#!/bin/sh\n')
    expect(await readFile(path.join(root, 'a.txt'), 'utf8')).toBe('x\n')
  })

  it('cannot create hooks in a folder that the configuration names', async () => {
    await git('init', '-q')
    await git('config', 'core.hooksPath', 'hooks')
    await git('config', 'include.path', '../team.config')
    await run('mkdir -p hooks; echo evil > hooks/pre-commit; echo evil > team.config')
    expect(await readdir(root)).toEqual(['.git'])
  })

  it('cannot create configuration and hooks whose folders are missing too', async () => {
    await git('init', '-q')
    await git('config', 'core.hooksPath', 'tools/git/hooks')
    await git('config', 'includeIf.onbranch:*.path', '../shared/git/team.config')
    await run(
      'mkdir -p tools/git/hooks shared/git; echo evil > tools/git/hooks/pre-commit; echo evil > shared/git/team.config; mkdir -p tools; echo ran > ran.txt',
    )
    expect((await readdir(root)).toSorted()).toEqual(['.git', 'ran.txt'])
  })

  it('cannot change programs that the configuration names', async () => {
    await git('init', '-q')
    const settings = {
      'alias.check': '!tools/alias.sh',
      'core.fsmonitor': './tools/monitor.sh',
      'diff.image.textconv': 'sh tools/text.sh',
      'filter.strip.clean': 'tools/clean.sh %f',
      'merge.union.driver': 'bash -c "tools/merge.sh %A"',
    }
    await mkdir(path.join(root, 'tools'))
    for (const name of ['alias', 'monitor', 'text', 'clean', 'merge', 'other'])
      await writeFile(path.join(root, 'tools', `${name}.sh`), '#!/bin/sh\n')
    for (const [key, value] of Object.entries(settings)) await git('config', key, value)
    await run('for f in tools/*.sh; do echo evil >> $f; done')
    const changed = await Promise.all(
      (await readdir(path.join(root, 'tools'))).map(async (name) =>
        (await readFile(path.join(root, 'tools', name), 'utf8')).includes('evil') ? [name] : [],
      ),
    )
    expect(changed.flat()).toEqual(['other.sh'])
  })

  it.each([
    [
      'the configuration of a worktree',
      'printf "[core]\\n\\tfsmonitor = $E\\n" > .git/config.worktree; git config extensions.worktreeConfig true',
    ],
    [
      'another common folder',
      'mkdir -p evil; printf "[core]\\n\\tfsmonitor = $E\\n" > evil/config; echo ../evil > .git/commondir',
    ],
    ['an included file', 'printf "[core]\\n\\tfsmonitor = $E\\n" > evil; git config includeIf.onbranch:*.path ../evil'],
    ['another work tree', 'git config core.worktree "$PWD/evil"; git config core.fsmonitor $E'],
    ['a renamed git folder', 'mv .git x; mkdir -p .git; cp -r x/. .git; git config core.fsmonitor $E'],
  ])('of the user starts no program through %s that a command prepared', async (_how, line) => {
    await git('init', '-q', '--template=')
    const program = path.join(root, 'evil.sh')
    await writeFile(program, `#!/bin/sh\ntouch ${path.join(base, 'started')}\n`, { mode: 0o755 })
    await run(`E=${program}; ${line}`)
    await git('status')
    await git('commit', '-q', '--allow-empty', '-m', 'x')
    expect((await git('rev-parse', '--show-toplevel')).stdout.trim()).toBe(root)
    expect(await readdir(base)).not.toContain('started')
  })

  it.each(['modules/lib', 'modules/a/b/c/d/e/f/g/h/i', 'worktrees/one', 'modules/lib/modules/inner'])(
    'folders that a command plants in .git/%s are reported',
    async (name) => {
      await git('init', '-q')
      const { job } = await run(
        `git init -q --bare .git/${name} && git config -f .git/${name}/config core.fsmonitor evil`,
      )
      expect(job.exitCode).toBe(0)
      expect(job.protectedChanges).toEqual({ created: [`.git/${name}`], changed: [], more: 0 })
      expect((await run('echo > a.txt')).job.protectedChanges).toBeUndefined()
      expect((await run(`echo evil >> .git/${name}/config`)).job.exitCode).not.toBe(0)
    },
  )

  it('folders of submodules that a command replaces are reported', async () => {
    await git('init', '-q')
    await git('init', '-q', '--bare', '.git/modules/lib')
    const { job } = await run('mv .git/modules .git/old && cp -r .git/old .git/modules')
    expect(job.protectedChanges).toMatchObject({ changed: ['.git/modules/lib'] })
  })

  it('is read-only where hooks are a link, whose target cannot be changed either', async () => {
    await git('init', '-q', '--template=')
    await mkdir(path.join(root, 'tools', 'hooks'), { recursive: true })
    await symlink('../tools/hooks', path.join(root, '.git', 'hooks'))
    await run('rm .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit; echo evil > tools/hooks/pre-commit')
    expect(await readdir(path.join(root, '.git', 'hooks'))).toEqual([])
    expect(await readdir(path.join(root, 'tools', 'hooks'))).toEqual([])
  })

  describe('in a worktree, whose git folder is outside the workspace,', () => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    const identity = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; '
    let main: string

    beforeEach(async () => {
      main = path.join(base, 'main')
      await exec('git', ['init', '-q', '-b', 'main', main])
      await writeFile(path.join(main, 'readme'), 'x')
      await inMain('add', '-A')
      await inMain('commit', '-q', '-m', 'first')
      await inMain('branch', 'packed')
      await inMain('pack-refs', '--all')
      await rm(root, { recursive: true })
      await inMain('worktree', 'add', '-q', '-b', 'session', root)
      await inMain('worktree', 'add', '-q', '-b', 'other', path.join(base, 'other'))
    })

    const inMain = async (...args: string[]) => (await exec('git', ['-C', main, ...author, ...args])).stdout.trim()

    it('commits, rebases, picks and deletes packed branches', async () => {
      const { job, output } = await run(
        `${identity} set -e; echo 1 > a; git add a; git commit -qm second; git checkout -q -b side; echo 2 > b; git add b; git commit -qm third; git checkout -q session; git cherry-pick side >/dev/null; git rebase -q main; git branch -q -D packed side; git log --format=%s`,
      )
      // Git warns that it cannot remove the branches from the configuration.
      expect(output).toMatch(/third\nsecond\nfirst\n$/)
      expect(job).toMatchObject({ exitCode: 0 })
      expect(job.protectedChanges).toBeUndefined()
      expect(await inMain('log', '--format=%s', 'session')).toBe('third\nsecond\nfirst')
      expect(await inMain('branch', '--list', 'packed')).toBe('')
      expect(await inMain('status', '--porcelain')).toBe('')
    })

    it.each([
      ['a hook', 'echo evil > $COMMON/hooks/pre-commit'],
      ['a hook in place of a folder', 'mv $COMMON/hooks $COMMON/old'],
      ['the configuration', 'git config core.hooksPath /tmp/evil'],
      ['the configuration file', 'echo "[core] fsmonitor = evil" >> $COMMON/config'],
      ['a lock and a new configuration', 'cp $COMMON/config /tmp/c && mv /tmp/c $COMMON/config'],
      ['the HEAD of the repository', 'echo "ref: refs/heads/other" > $COMMON/HEAD'],
      ['the index of the repository', 'git --git-dir=$COMMON --work-tree=. add -A'],
      ['the HEAD of another worktree', 'echo x > $COMMON/worktrees/other/HEAD'],
      ['the configuration of another worktree', 'echo x > $COMMON/worktrees/other/config.worktree'],
      ['a new worktree', 'git worktree add -q /tmp/new'],
      ['another worktree', 'git worktree remove --force ../other || git worktree prune --expire=now; false'],
      ['the .git file', 'echo "gitdir: ../home" > .git'],
      ['the link back', 'echo evil > "$(git rev-parse --git-dir)/gitdir"'],
      ['the link to the common folder', 'echo evil > "$(git rev-parse --git-dir)/commondir"'],
      [
        'a hooks folder of its own',
        'mkdir "$(git rev-parse --git-dir)/hooks" && git config --worktree core.hooksPath x',
      ],
      ['files of the repository', 'echo evil > $COMMON/../secret.txt; cat $COMMON/../secret.txt | grep secret'],
    ])('cannot change %s', async (_what, line) => {
      await writeFile(path.join(main, 'secret.txt'), 'secret')
      await writeFile(path.join(base, 'other', 'work.txt'), 'x')
      const state = async () =>
        Promise.all([
          readFile(path.join(main, '.git', 'config'), 'utf8'),
          readFile(path.join(main, '.git', 'HEAD'), 'utf8'),
          readdir(path.join(main, '.git', 'hooks')),
          readdir(path.join(main, '.git', 'worktrees', 'other')),
          inMain('worktree', 'list'),
          inMain('status', '--porcelain'),
          readFile(path.join(root, '.git'), 'utf8'),
          exec('git', ['-C', path.join(base, 'other'), 'status', '--porcelain', '--branch']),
        ])
      const before = await state()
      const { job } = await run(`COMMON=${main}/.git; ${line}`)
      expect(job.exitCode).not.toBe(0)
      expect(await state()).toEqual(before)
      expect((await run('git status')).job.exitCode).toBe(0)
    })

    it('cannot change the stash, which all worktrees share', async () => {
      await writeFile(path.join(main, 'a.txt'), 'x')
      await inMain('add', '-A')
      await inMain('stash')
      const { job } = await run(`${identity} git stash clear; git stash drop; echo 1 > a; git add a; git stash push`)
      expect(job.exitCode).not.toBe(0)
      expect(await readFile(path.join(root, 'a'), 'utf8')).toBe('1\n')
      expect((await inMain('stash', 'list')).split('\n')).toHaveLength(1)
    })

    it.each(['logs', 'refs', 'objects'])(
      'cannot put a link in place of %s, which the next command would follow',
      async (name) => {
        if (name === 'logs') await rm(path.join(main, '.git', 'logs'), { recursive: true })
        const common = `${main}/.git`
        await run(`rm -rf ${common}/${name}; ln -s ../../home ${common}/${name}; ls ${common}`)
        const { output } = await run('cat ~/.ssh/id_ed25519; echo x > ~/new')
        expect(output).not.toContain('private key')
        expect(await readdir(path.join(base, 'home'))).toEqual(['.ssh'])
        expect((await lstat(path.join(common, name))).isDirectory()).toBe(true)
      },
    )

    it.each(['logs', 'refs', 'objects'])('does not follow a link in place of %s', async (name) => {
      await rename(path.join(main, '.git', name), path.join(main, 'moved'))
      await symlink('../../home', path.join(main, '.git', name))
      const { output } = await run('cat ~/.ssh/id_ed25519; echo x > ~/new')
      expect(output).not.toContain('private key')
      expect(await readdir(path.join(base, 'home'))).toEqual(['.ssh'])
    })

    it('reports a link in place of the packed references', async () => {
      const { job } = await run(`rm ${main}/.git/packed-refs; ln -s ../../home/new ${main}/.git/packed-refs`)
      expect(job.protectedChanges).toMatchObject({ created: ['../main/.git/packed-refs'] })
    })

    it('reports a rebase that it prepares in the repository', async () => {
      const { job } = await run(
        `mkdir ${main}/.git/rebase-merge; echo 'exec evil' > ${main}/.git/rebase-merge/git-rebase-todo`,
      )
      expect(job.protectedChanges).toMatchObject({ created: ['../main/.git/rebase-merge'] })
    })
  })

  it('does not mount the folder that a hostile .git file names', async () => {
    await writeFile(path.join(root, '.git'), `gitdir: ${base}/home\n`)
    const { output } = await run('cat ~/.ssh/id_ed25519; echo x > ~/new')
    expect(output).not.toContain('private key')
    expect(await readdir(path.join(base, 'home'))).toEqual(['.ssh'])
  })

  it.each([
    [
      'a worktree whose common folder is elsewhere',
      'mkdir -p a/wt; echo "gitdir: wt" > a/.git; echo x > a/wt/HEAD; echo "$PWD/a/.git" > a/wt/gitdir; echo ../../../home > a/wt/commondir',
    ],
    ['a git folder that is a link', 'mkdir a; ln -s ../../home a/.git'],
    ['an absolute link', 'mkdir a; ln -s "$(cd ../home && pwd)" a/.git'],
    ['hooks that are a link', 'mkdir -p a/.git; echo x > a/.git/HEAD; ln -s ../../../home a/.git/hooks'],
    [
      'a module that is a link',
      'mkdir -p a/.git/modules; echo x > a/.git/HEAD; ln -s ../../../../home a/.git/modules/x',
    ],
    ['modules that are a link', 'mkdir -p a/.git; echo x > a/.git/HEAD; ln -s ../../../ a/.git/modules'],
    ['a file that is a link', 'mkdir a; ln -s ../../home/.ssh/id_ed25519 a/.git'],
    [
      'pipes in place of files',
      'mkdir -p a/wt; echo "gitdir: wt" > a/.git; echo x > a/wt/HEAD; mkfifo a/wt/gitdir a/wt/commondir a/wt/config',
    ],
    [
      'an endless file',
      'git init -q a; git config -f a/.git/config include.path /dev/zero; ln -s /dev/zero a/.git/commondir',
    ],
    ['a pipe in place of the file .git', 'mkdir a; mkfifo a/.git'],
    ['hooks elsewhere', 'git init -q a; ln -s ../../home a/h; git config -f a/.git/config core.hooksPath h'],
  ])('does not mount another folder for %s that a command prepared', async (_what, line) => {
    const home = path.join(base, 'home')
    await run(line)
    await writeFile(path.join(home, 'HEAD'), 'x')
    const { output } = await run(
      `find -L a ~ ${home} -name id_ed25519 -exec cat {} +; for f in ${home} ~ $(find -L a -type d); do echo x > $f/new; done; echo ran`,
    )
    expect(output).toContain('ran')
    expect(output).not.toContain('private key')
    expect(await readdir(home)).toEqual(['.ssh', 'HEAD'])
  })

  it('commits in a submodule, whose hooks and configuration are read-only', async () => {
    const library = path.join(base, 'library')
    await exec('git', ['init', '-q', library])
    await git('-C', library, 'commit', '-q', '--allow-empty', '-m', 'x')
    await git('init', '-q')
    await git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'libs/one')
    const folder = path.join(root, '.git', 'modules', 'libs', 'one')
    const before = await readFile(path.join(folder, 'config'), 'utf8')
    const { output } = await run(
      `cd libs/one && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m y && git log --oneline | wc -l; git config core.fsmonitor evil; echo evil > ${folder}/hooks/pre-commit; echo evil > .git; mv ${folder} ${folder}2`,
    )
    expect(output.trim().startsWith('2')).toBe(true)
    expect(await readFile(path.join(folder, 'config'), 'utf8')).toBe(before)
    expect(await readdir(path.join(folder, 'hooks'))).not.toContain('pre-commit')
    expect(await readFile(path.join(root, 'libs', 'one', '.git'), 'utf8')).toContain('gitdir: ')
  })

  it('protects repositories inside the workspace', async () => {
    const inner = path.join(root, 'packages', 'inner')
    await mkdir(inner, { recursive: true })
    await exec('git', ['init', '-q', inner])
    await run('echo evil > packages/inner/.git/hooks/pre-commit; echo evil >> packages/inner/.git/config')
    expect(await readFile(path.join(inner, '.git', 'config'), 'utf8')).not.toContain('evil')
    expect(await readdir(path.join(inner, '.git', 'hooks'))).not.toContain('pre-commit')
    const { job } = await run('mv packages old && cp -r old packages && echo evil >> packages/inner/.git/config')
    expect(job.protectedChanges).toMatchObject({ changed: ['packages/inner/.git'] })
  })
})

describe('the network', () => {
  it('is absent, and the failure is recognized', async () => {
    const { job } = await run(
      'getent hosts example.com || { echo "curl: (6) Could not resolve host: example.com"; exit 6; }',
    )
    expect(job.denial).toMatchObject({ kind: 'network', retry: 'network' })
  })

  it('cannot reach a server on this machine, and is available to the same command line the next time', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const line = `node -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(0)).on("error", (e) => { console.log(String(e)); process.exit(1) })'`
    const first = await run(line)
    expect(first.job).toMatchObject({ exitCode: 1, denial: { kind: 'network' } })
    const second = await run(line)
    expect(second.job).toMatchObject({ exitCode: 0, sandbox: { sandboxed: true, network: true } })
    server.close()
  })

  it('is planned for commands that are known to need it', async () => {
    expect(await jobs.plan('cd a && npm ci', 'sandbox')).toEqual({ sandboxed: true, network: true })
    expect(await jobs.plan('npm test', 'sandbox')).toEqual({ sandboxed: true, network: false })
  })

  it('is offered to a command that listens', async () => {
    const { job } = await run('node -e "require(\'http\').createServer().listen(5199)"', { waitMs: 0 })
    await expect.poll(() => jobs.list().find(({ id }) => id === job.id)?.denial?.message).toContain('localhost:5199')
    await jobs.stop(job.id)
  })
})

describe('processes', () => {
  it('in the background end with the command', async () => {
    await run('setsid sleep 4711.25 & setsid env -i sleep 4711.26 & echo started')
    await expect.poll(() => running('sleep 4711.2')).toEqual([])
  })

  it('without a tag and a terminal end at the time limit', async () => {
    const { job } = await run('(setsid env -i sleep 4712.25 &) ; sleep 300', { timeoutMs: 500 })
    expect(job.endedBy).toBe('timeout')
    await expect.poll(() => running('sleep 4712')).toEqual([])
  })

  it('can clean up when they are stopped', async () => {
    const { job } = await run('trap "echo cleaned > cleaned.txt; exit" TERM; echo ready; while :; do sleep 0.1; done', {
      waitMs: 1500,
    })
    await jobs.stop(job.id)
    expect(await readdir(root)).toEqual(['cleaned.txt'])
  })
})

describe('toolchains and caches in the home', () => {
  it('can be used, and the caches of commands with network stay', async () => {
    const bin = path.join(base, 'home', '.local', 'bin')
    await mkdir(bin, { recursive: true })
    await writeFile(path.join(bin, 'mytool'), '#!/bin/sh\necho tool\n', { mode: 0o755 })
    await mkdir(path.join(base, 'home', '.npm'))
    await writeFile(path.join(base, 'home', '.npm', 'mine'), 'mine\n')
    await jobs.dispose()
    open({ PATH: `${bin}:${process.env.PATH}` })
    expect((await run('mytool; cat ~/.npm/mine; echo x > ~/.npm/mine; echo x > ~/.local/bin/mytool')).output).toMatch(
      /^tool\nmine\n/,
    )
    await jobs.run(
      { run: { command: 'echo cached > ~/.npm/entry' }, cwd: root, sandbox: { sandboxed: true, network: true } },
      never,
    )
    expect((await run('cat ~/.npm/entry')).output).toBe('cached\n')
    expect(await readdir(path.join(base, 'home', '.npm'))).toEqual(['mine'])
    expect(await readFile(path.join(base, 'home', '.npm', 'mine'), 'utf8')).toBe('mine\n')
  })
})

describe('credentials among toolchains and caches in the home', () => {
  it('are neither readable nor replaced', async () => {
    const home = path.join(base, 'home')
    const secrets = {
      '.cargo/config.toml': '[registries.own]\ntoken = "SECRET"\nindex = "kept"\n',
      '.hex/hex.config': 'SECRET',
      '.ivy2/.credentials': 'SECRET',
      '.julia/servers/own/auth.toml': 'SECRET',
      '.local/share/uv/credentials/credentials.toml': 'SECRET',
      '.stack/upload/credentials.json': 'SECRET',
    }
    for (const [name, text] of Object.entries(secrets)) {
      await mkdir(path.dirname(path.join(home, name)), { recursive: true })
      await writeFile(path.join(home, name), text)
      await writeFile(path.join(home, path.dirname(name), 'other'), 'kept\n')
    }
    const names = Object.keys(secrets).map((name) => `~/${name}`)
    const { output } = await run(`cat ${names.join(' ')} ~/.hex/other ~/.ivy2/other; echo ran`)
    expect(output).toContain('ran')
    expect(output).not.toContain('SECRET')
    expect(output).toContain('index = "kept"')
    expect(output.match(/^kept$/gm)).toHaveLength(2)
  })
})

describe('a folder of the home whose programs are on PATH', () => {
  it.each(['.pulumi', '.config/fly', '.local/share/tool'])(
    '~/%s shows its programs, but not its data',
    async (name) => {
      const folder = path.join(base, 'home', name)
      await mkdir(path.join(folder, 'bin'), { recursive: true })
      await mkdir(path.join(folder, 'lib'))
      await writeFile(path.join(folder, 'bin', 'mytool'), '#!/bin/sh\ncat "$(dirname "$0")/../lib/text"\n', {
        mode: 0o755,
      })
      await writeFile(path.join(folder, 'lib', 'text'), 'ran\n')
      await writeFile(path.join(folder, 'credentials.json'), 'SECRET\n')
      await mkdir(path.join(folder, 'keystores'))
      await writeFile(path.join(folder, 'keystores', 'main'), 'SECRET\n')
      await symlink('..', path.join(folder, 'store'))
      await jobs.dispose()
      open({ PATH: `${path.join(folder, 'bin')}:${process.env.PATH}` })
      const { output } = await run(`mytool; cat ~/${name}/credentials.json ~/${name}/keystores/main ~/${name}/store/*`)
      expect(output).toMatch(/^ran\n/)
      expect(output).not.toContain('SECRET')
    },
  )
})

describe('a socket in the workspace', () => {
  const connect = (file: string) =>
    `node -e "require('net').connect('${file}').on('error', () => console.log('refused')).on('data', (text) => console.log(String(text)))"`
  const listen = async (name: string) => {
    const file = path.join(root, name)
    const server = createServer((socket) => socket.end('reached')).listen(file)
    await once(server, 'listening')
    return server
  }

  it('to which a program outside listens cannot be reached without network; that of an agent never', async () => {
    const servers = await Promise.all(['own.sock', 'server.key'].map(listen))
    try {
      const line = `${connect('own.sock')}; ${connect('server.key')}`
      expect((await run(line)).output).toBe('refused\nrefused\n')
      const withNetwork = { sandbox: { sandboxed: true, network: true } } as const
      expect((await run(`: ; ${line}`, withNetwork)).output).toBe('reached\nrefused\n')
    } finally {
      for (const server of servers) server.close()
    }
  })

  it('of a command can be used by the same command, also a second time', async () => {
    const serve = `node -e "const s = require('net').createServer((c) => c.end('reached')); require('fs').rmSync('a.sock', { force: true }); s.listen('a.sock', () => require('net').connect('a.sock').on('data', (text) => { console.log(String(text)); process.exit() }))"`
    expect((await run(serve)).output).toBe('reached\n')
    expect((await run(`: ; ${serve}`)).output).toBe('reached\n')
  })
})

/** Processes of the machine whose command line starts with a text. */
async function running(start: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')),
  )
  return lines.filter((line) => line.startsWith(start))
}
