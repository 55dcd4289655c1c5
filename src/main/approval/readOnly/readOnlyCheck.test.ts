import { chmod, mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { createArgumentLookup } from '../../workspaceServices/workspaceExaminer.ts'
import { createProgramLookup } from '../../workspaceServices/programLookup.ts'
import { shippedPlaceRules } from '../placeRules.ts'
import { checkReadOnly, type ReadOnlyContext } from './readOnlyCheck.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let context: ReadOnlyContext
let root: string

beforeAll(async () => {
  folder = await temporaryFolder({
    'outside/.git/HEAD': 'x',
    'root/src/a.ts': 'a',
    'root/keys/server.pem': 'key',
    'root/repository/.git/HEAD': 'x',
    'root/repository/src/a.ts': 'a',
    'root/repository/keys/tracked.pem': 'key',
    'root/repository/bare/HEAD': 'x',
    'root/repository/bare/objects/x': 'x',
    'root/repository/bare/refs/x': 'x',
    'root/worktree/.git': 'gitdir: ../../outside/.git',
    'root/bin/ls': 'evil',
  })
  root = path.join(folder.root, 'root')
  await chmod(path.join(root, 'bin/ls'), 0o755)
  await symlink('../outside', path.join(root, 'linked'))
  await mkdir(path.join(root, 'deep/er'), { recursive: true })
  await symlink('deep/er', path.join(root, 'short'))
  const workspace = await openWorkspace(root, { dataFolders: [] })
  context = {
    cwd: '.',
    rules: shippedPlaceRules,
    lookup: createArgumentLookup(() => workspace),
    programs: {
      unsafePath: async () => undefined,
      realFile: async (name) => `/usr/bin/${name}`,
      isRepository: async () => true,
      startsConfigured: async () => false,
    },
    masked: false,
  }
})
afterAll(() => folder.remove())

const whyNot = async (commands: string[], rest: Partial<ReadOnlyContext> = {}): Promise<string | undefined> => {
  const matches = await checkReadOnly(
    commands.map((line) => line.split(' ')),
    { ...context, ...rest },
  )
  const failed = matches.find(({ covered }) => !covered)
  return failed?.covered === false ? failed.why : undefined
}

describe('a read-only command', () => {
  it('reads inside the workspace only', async () => {
    expect(await whyNot(['cat src/a.ts'])).toBeUndefined()
    expect(await whyNot(['cat linked/../outside/x'])).toBe('`linked/../outside/x` leads out of the workspace.')
    expect(await whyNot(['cat linked/x'])).toBe('`linked/x` leads out of the workspace.')
    expect(await whyNot(['cat keys/server.pem'])).toBe('`keys/server.pem` is a secret file.')
  })

  it('that reads every file below a folder is not covered if a secret is there, unless the sandbox hides it', async () => {
    expect(await whyNot(['grep -r x src'])).toBeUndefined()
    expect(await whyNot(['grep -r x .'])).toMatch(/It also reads the secret file \S+\.pem/)
    expect(await whyNot(['grep -r x .'], { masked: true })).toBeUndefined()
    const inRepository = { cwd: 'repository' }
    expect(await whyNot(['git grep x -- src'], inRepository)).toBeUndefined()
    for (const line of ['git grep x', 'git grep -e x', 'git grep x HEAD', 'git grep --untracked x keys'])
      expect(await whyNot([line], inRepository), line).toBe(
        'It also reads the secret file repository/keys/tracked.pem.',
      )
    expect(await whyNot(['git grep x'], { ...inRepository, masked: true })).toBeUndefined()
  })

  it('of git needs a repository in the workspace, whose .git is a folder', async () => {
    expect(await whyNot(['git status'])).toBe('The git repository is not in the workspace.')
    expect(await whyNot(['git status'], { cwd: 'repository' })).toBeUndefined()
    expect(await whyNot(['git status'], { cwd: 'worktree' })).toBe('The git repository is not in the workspace.')
    expect(await whyNot(['cd repository', 'git status'])).toBe('The git repository is not in the workspace.')
    expect(await whyNot(['git status'], { cwd: 'repository/bare' })).toBe('The git repository is not in the workspace.')
    expect(await whyNot(['cd bare/refs', 'git log'], { cwd: 'repository' })).toBe(
      'The git repository is not in the workspace.',
    )
  })

  it('after cd is checked in every folder in which it can run', async () => {
    expect(await whyNot(['cd src', 'cat a.ts'])).toBeUndefined()
    expect(await whyNot(['cd src', 'cat ../a.ts'])).toBe('`../a.ts` leads out of the workspace.')
    expect(await whyNot(['cd deep', 'cd er', 'cat a.ts'])).toBeUndefined()
    expect(await whyNot(['cd short', 'cat ../a.ts'])).toBe('The folder that `cd short` enters is uncertain.')
    expect(await whyNot(['cd short/..', 'cat a.ts'])).toBe('The folder that `cd short/..` enters is uncertain.')
    expect(await whyNot(['cd linked', 'ls'])).toBe('`linked` leads out of the workspace.')
  })

  it('is not covered if a folder of the workspace is on PATH', async () => {
    const programs = (folders: string[]) =>
      createProgramLookup(() => ({ root }), { PATH: folders.join(path.delimiter) })
    expect(await whyNot(['ls'], { programs: programs(['/usr/bin', '/bin']) })).toBeUndefined()
    expect(await whyNot(['ls'], { programs: programs([path.join(root, 'bin'), '/usr/bin']) })).toContain(
      'PATH contains',
    )
    expect(await whyNot(['ls'], { programs: programs(['bin', '/usr/bin']) })).toContain('relative')
    expect(await whyNot(['pwd'], { programs: programs(['bin']) })).toBeUndefined()
  })

  it('is not covered if a variable makes the program load code of the folder', async () => {
    const why = async (command: string, variables: Record<string, string>, passed: string[] = []) =>
      (await createProgramLookup(
        () => ({ root }),
        { PATH: '/usr/bin:/bin', ...variables },
        () => passed,
      ).unsafePath(command)) ?? ''
    expect(await why('ls', { LD_LIBRARY_PATH: '/usr/lib', PYTHONPATH: '/opt/python' })).toBe('')
    expect(await why('ls', { LD_LIBRARY_PATH: ':/usr/lib' })).toBe('LD_LIBRARY_PATH contains a relative folder.')
    expect(await why('ls', { LD_LIBRARY_PATH: path.join(root, 'lib') })).toContain('a folder of the workspace')
    expect(await why('pip', { PYTHONPATH: 'src' })).toBe('PYTHONPATH contains a relative folder.')
    expect(await why('rg', { RIPGREP_CONFIG_PATH: '.ripgreprc' })).toBe('')
    expect(await why('rg', { RIPGREP_CONFIG_PATH: '.ripgreprc' }, ['RIPGREP_CONFIG_PATH'])).toContain('can change')
    expect(await why('git', { GIT_EXTERNAL_DIFF: './run.sh' }, ['GIT_EXTERNAL_DIFF'])).toContain('can change')
  })

  it('is not covered if the program on PATH is a link to a file of the workspace', async () => {
    const bin = path.join(folder.root, 'outside')
    await symlink(path.join(root, 'bin/ls'), path.join(bin, 'ls'))
    const programs = createProgramLookup(() => ({ root }), { PATH: [bin, '/usr/bin', '/bin'].join(path.delimiter) })
    expect(await whyNot(['ls'], { programs })).toBe('`ls` is a link to a file of the workspace.')
    expect(await whyNot(['cat src/a.ts'], { programs })).toBeUndefined()
  })

  it("that prints a version is not covered if the program is a version manager's shim", async () => {
    const real = (file: string): Partial<ReadOnlyContext> => ({
      programs: { ...context.programs, realFile: async () => file },
    })
    expect(await whyNot(['node --version'], real('/opt/node/bin/node'))).toBeUndefined()
    expect(await whyNot(['cargo --version'], real('/home/u/.cargo/bin/rustup'))).toContain('version manager')
    expect(await whyNot(['node --version'], real('/home/u/.asdf/shims/node'))).toContain('version manager')
  })
})
