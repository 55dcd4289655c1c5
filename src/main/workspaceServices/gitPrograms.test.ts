import { execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { checkReadOnly } from '../approval/readOnly/readOnlyCheck.ts'
import { pathExists } from '../base/smallFile.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createArgumentLookup } from './workspaceExaminer.ts'
import { createProgramLookup } from './programLookup.ts'

// Each attack makes the real git start a program of the workspace. None may count as read-only.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let root: string
let env: Record<string, string>

beforeEach(async () => {
  folder = await temporaryFolder({
    'home/.gitconfig': '[user]\n\tname = U\n\temail = u@example.com\n',
    'root/a.txt': 'a\n',
  })
  root = path.join(folder.root, 'root')
  env = {
    HOME: path.join(folder.root, 'home'),
    PATH: process.env.PATH ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_PAGER: 'cat',
  }
  await program('evil.sh')
  repository('.')
})
afterEach(() => folder.remove())

const at = (name: string) => path.join(root, name)
const started = () => pathExists(path.join(folder.root, 'started'))
const home = (text: string) => appendFile(path.join(folder.root, 'home/.gitconfig'), text)

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: at(cwd), env, stdio: 'ignore' })
}

/** Creates a program that leaves a trace. */
async function program(name: string): Promise<void> {
  await writeTree(root, {
    [name]: `#!/bin/sh\ntouch ${path.join(folder.root, 'started')}\ncat 2>/dev/null </dev/null\n`,
  })
  await chmod(at(name), 0o755)
}

/** Creates a repository with a commit of everything in it. */
function repository(name: string): void {
  git(name, 'init', '-q', '-b', 'main')
  git(name, 'add', '-A')
  git(name, 'commit', '-qm', 'first', '--allow-empty')
}

/** Adds a nested repository to the index of the outer one, without `.git/modules`. */
async function nested(name: string): Promise<void> {
  await writeTree(root, { [`${name}/b.txt`]: 'b\n' })
  repository(name)
  git('.', 'add', name)
  git('.', 'commit', '-qm', 'nested')
}

/** What decides that a line is read-only. */
async function isProven(
  line: string,
  cwd = '.',
  programs = createProgramLookup(() => ({ root }), env),
): Promise<boolean> {
  const workspace = await openWorkspace(root, { dataFolders: [] })
  const matches = await checkReadOnly(
    line.split(' && ').map((command) => command.split(' ')),
    {
      cwd,
      rules: shippedPlaceRules,
      lookup: createArgumentLookup(() => workspace),
      programs,
      masked: false,
    },
  )
  return matches.every(({ covered }) => covered)
}

/** Runs a line as the shell of a command does. */
function run(line: string, cwd = '.'): void {
  try {
    execFileSync('sh', ['-c', line], { cwd: at(cwd), env, stdio: 'ignore' })
  } catch {
    // Git may fail after it has started the program.
  }
}

/** Lines, and what makes them start the program. */
const attacks: Record<string, { lines: string[]; cwd?: string; prepare: () => Promise<unknown> }> = {
  'a nested repository in the index': {
    lines: ['git status', 'git diff'],
    prepare: async () => {
      await nested('sub')
      git('sub', 'config', 'core.fsmonitor', at('evil.sh'))
      await writeFile(at('sub/b.txt'), 'changed\n')
    },
  },
  'a nested repository in a split index': {
    lines: ['git status'],
    prepare: async () => {
      await nested('sub')
      git('sub', 'config', 'core.fsmonitor', at('evil.sh'))
      git('.', 'update-index', '--split-index')
    },
  },
  'a nested repository in an index of version 4': {
    lines: ['git status'],
    prepare: async () => {
      await nested('sub')
      git('sub', 'config', 'core.fsmonitor', at('evil.sh'))
      git('.', 'update-index', '--index-version', '4')
    },
  },
  'a nested repository whose .git is a file': {
    lines: ['git status'],
    prepare: async () => {
      await nested('sub')
      git('.', 'init', '-q', `--separate-git-dir=${at('data')}`, 'sub')
      git('sub', 'config', 'core.fsmonitor', at('evil.sh'))
    },
  },
  'a submodule': {
    lines: ['git status', 'git diff'],
    prepare: async () => {
      await writeTree(folder.root, { 'library/c.txt': 'c\n' })
      repository('../library')
      git('.', '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', at('../library'), 'library')
      git('.', 'commit', '-qm', 'submodule')
      git('library', 'config', 'core.fsmonitor', at('evil.sh'))
    },
  },
  'the repository': {
    lines: ['git status', 'git diff', 'git describe --always --dirty'],
    prepare: async () => git('.', 'config', 'core.fsmonitor', at('evil.sh')),
  },
  'a text conversion and attributes of the repository': {
    lines: ['git log -p', 'git show HEAD', 'git blame a.txt'],
    prepare: async () => {
      await writeTree(root, { '.gitattributes': '* diff=x\n' })
      git('.', 'config', 'diff.x.textconv', at('evil.sh'))
    },
  },
  'a hooks folder of the repository': {
    lines: ['git status'],
    prepare: async () => {
      await program('.husky/post-index-change')
      git('.', 'config', 'core.hooksPath', '.husky')
      await writeFile(at('a.txt'), 'a\n')
    },
  },
  'the configuration of a worktree': {
    lines: ['git status'],
    prepare: async () => {
      git('.', 'config', 'extensions.worktreeConfig', 'true')
      git('.', 'config', '--worktree', 'core.fsmonitor', at('evil.sh'))
    },
  },
  'a nested repository that is only in the history': {
    lines: ['git log -p --submodule=diff', 'git show --submodule=diff HEAD~1'],
    prepare: async () => {
      await nested('sub')
      await writeFile(at('sub/b.txt'), 'changed\n')
      git('sub', 'commit', '-qam', 'second')
      git('.', 'commit', '-qam', 'moved')
      git('.', 'rm', '-q', '--cached', 'sub')
      git('.', 'commit', '-qm', 'removed')
      git('sub', 'config', 'diff.external', at('evil.sh'))
    },
  },
  'the same, by a setting of the user': {
    lines: ['git log -p'],
    prepare: async () => {
      await attacks['a nested repository that is only in the history']?.prepare()
      await home('[diff]\n\tsubmodule = diff\n')
    },
  },
  'a nested repository that is entered': {
    lines: ['cd sub && git status', 'cd sub && git log -p'],
    prepare: async () => {
      await writeTree(root, { 'sub/b.txt': 'b\n', 'sub/.gitattributes': '* diff=x\n' })
      repository('sub')
      git('sub', 'config', 'core.fsmonitor', at('evil.sh'))
      git('sub', 'config', 'diff.x.textconv', at('evil.sh'))
    },
  },
  'a folder .git that is no repository, so that git takes the one above': {
    lines: ['git status'],
    cwd: 'sub',
    prepare: async () => {
      git('.', 'config', 'core.fsmonitor', at('evil.sh'))
      await writeTree(root, {
        'sub/.git/config': '[core]\n\tbare = false\n',
        'sub/.git/HEAD': 'nothing\n',
        'sub/.git/refs/': '',
        'sub/.git/objects/': '',
      })
    },
  },
  'a folder .git that takes its configuration from another one': {
    lines: ['git status'],
    prepare: async () => {
      await writeTree(root, { 'other/b.txt': 'b\n' })
      repository('other')
      git('other', 'config', 'core.fsmonitor', at('evil.sh'))
      await writeFile(at('.git/commondir'), '../other/.git\n')
    },
  },
  "a relative hooks folder in the user's configuration": {
    lines: ['git status'],
    prepare: async () => {
      await home('[core]\n\thooksPath = hooks\n')
      await program('hooks/post-index-change')
      await writeFile(at('a.txt'), 'a\n')
    },
  },
  "a hooks folder of the workspace in the user's configuration": {
    lines: ['git status'],
    prepare: async () => {
      await home(`[core]\n\thooksPath = ${at('hooks')}\n`)
      await program('hooks/post-index-change')
      await writeFile(at('a.txt'), 'a\n')
    },
  },
  "a relative monitor in the user's configuration": {
    lines: ['git status', 'git diff'],
    prepare: () => home('[core]\n\tfsmonitor = ./evil.sh\n'),
  },
  "a program with arguments in a file that the user's configuration includes": {
    lines: ['git diff'],
    prepare: async () => {
      await home(`[includeIf "gitdir:${root}/"]\n\tpath = more\n`)
      await writeTree(folder.root, { 'home/more': '[diff]\n\texternal = sh evil.sh\n' })
      await writeFile(at('a.txt'), 'changed\n')
    },
  },
  "a filter in the user's configuration": {
    lines: ['git status', 'git diff'],
    prepare: async () => {
      await home('[filter "x"]\n\tclean = ./evil.sh\n')
      await writeTree(root, { '.gitattributes': '*.txt filter=x\n', 'a.txt': 'b\n' })
    },
  },
}

describe.each(Object.entries(attacks))('%s', (_, { lines, cwd, prepare }) => {
  it.each(lines)('is no way for %j to start a program unnoticed', async (line) => {
    await prepare()
    await rm(path.join(folder.root, 'started'), { force: true })
    const proven = await isProven(line, cwd)
    expect(await started(), 'while it is examined').toBe(false)
    run(line, cwd)
    expect(await started(), 'by git').toBe(true)
    expect(proven).toBe(false)
  })
})

it('a folder .git whose objects are partly elsewhere is no repository of the workspace', async () => {
  await writeTree(root, { '.git/objects/info/alternates': `${path.join(folder.root, 'home')}\n` })
  expect(await isProven('git log')).toBe(false)
})

// The administrator enters every folder, and Windows has no such permission.
it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a folder .git that git cannot enter is no repository',
  async () => {
    for (const name of ['objects', 'refs']) {
      await chmod(at(`.git/${name}`), 0o600)
      expect(await isProven('git status')).toBe(false)
      await chmod(at(`.git/${name}`), 0o700)
    }
    expect(await isProven('git status')).toBe(true)
  },
)

it("a hook of an index that the user's configuration names is one of git, since version 2.54", async () => {
  await home('[hook "lint"]\n\tevent = pre-commit\n\tcommand = ./evil.sh\n')
  expect(await isProven('git status')).toBe(true)
  await home('[hook "index"]\n\tevent = post-index-change\n\tcommand = ./evil.sh\n')
  expect(await isProven('git status')).toBe(false)
})

it("a change of the user's configuration is noticed, also of a file that did not exist", async () => {
  const programs = createProgramLookup(() => ({ root }), env)
  const proven = () => isProven('git status', '.', programs)
  expect([await proven(), await proven()]).toEqual([true, true])
  await writeTree(folder.root, { 'home/.config/git/config': '[core]\n\thooksPath = hooks\n' })
  expect(await proven()).toBe(false)
  await rm(path.join(folder.root, 'home/.config'), { recursive: true })
  expect(await proven()).toBe(true)
  await home('[include]\n\tpath = more\n')
  expect(await proven()).toBe(true)
  await writeTree(folder.root, { 'home/more': '[diff]\n\texternal = ./x\n' })
  expect(await proven()).toBe(false)
})

it('an index with long hashes is not examined', async () => {
  await rm(at('.git'), { recursive: true })
  git('.', 'init', '-q', '--object-format=sha256')
  expect(await isProven('git status')).toBe(false)
})

it.each(['git -C sub status', 'git --git-dir=sub/.git status', 'git -c core.fsmonitor=./evil.sh status'])(
  '%j has no read-only form',
  async (line) => {
    await nested('sub')
    expect(await isProven(line)).toBe(false)
  },
)

describe('git is read-only', () => {
  const lines = ['git status', 'git diff', 'git log -p', 'git show HEAD']

  it('in a usual repository, in any form of the index', async () => {
    await mkdir(at('deep/er'), { recursive: true })
    await writeTree(root, Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`deep/er/file${index}`, 'x'])))
    git('.', 'add', '-A')
    for (const version of ['4', '3', '2']) {
      git('.', 'update-index', '--index-version', version)
      for (const line of [...lines, 'cd deep/er && git status']) expect(await isProven(line), line).toBe(true)
    }
  })

  it('beside repositories that git does not enter, and with submodules that are not there', async () => {
    await writeTree(root, { 'untracked/b.txt': 'b' })
    repository('untracked')
    git('untracked', 'config', 'core.fsmonitor', at('evil.sh'))
    await nested('sub')
    await rm(at('sub'), { recursive: true })
    await mkdir(at('sub'))
    for (const line of lines) expect(await isProven(line), line).toBe(true)
    for (const line of lines) run(line)
    expect(await started()).toBe(false)
  })

  it('with submodules, hooks of a program that git does not start, and a sparse checkout', async () => {
    await writeTree(folder.root, { 'library/c.txt': 'c\n' })
    repository('../library')
    git('.', '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', at('../library'), 'library')
    git('.', 'commit', '-qm', 'submodule')
    await program('.husky/_/pre-commit')
    git('.', 'config', 'core.hooksPath', '.husky/_')
    git('.', 'config', 'pager.log', 'false')
    for (const line of [...lines, 'git submodule status']) expect(await isProven(line), line).toBe(true)
    git('.', 'sparse-checkout', 'set', '--no-cone', '/*')
    for (const line of lines) expect(await isProven(line), line).toBe(true)
    for (const line of lines) run(line)
    expect(await started()).toBe(false)
  })

  it("with the user's own programs, such as Git LFS", async () => {
    await home('[core]\n\tpager = delta --side-by-side\n\tfsmonitor = true\n\thooksPath = ~/hooks\n')
    await home(
      '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n',
    )
    await home(
      '[diff "pdf"]\n\ttextconv = pdfinfo\n[diff "exif"]\n\ttextconv = /usr/bin/exiftool\n[alias]\n\tl = !sh -c ./x\n',
    )
    for (const line of lines) expect(await isProven(line), line).toBe(true)
  })
})
