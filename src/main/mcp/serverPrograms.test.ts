import { posix } from 'node:path'
import { expect, it } from 'vitest'
import { readServerPrograms } from './serverPrograms.ts'

it.each([
  ['bash', ['-c', 'cd tools && ./serve.sh'], 'tools/serve.sh'],
  ['python3', ['-m', 'pkg.server'], 'pkg/server.py'],
  ['python3', ['-m', 'pkg.server'], 'pkg/__init__.py'],
  ['node', ['tools'], 'tools/index.mjs'],
  ['node', ['tools/serve'], 'tools/serve.js'],
  ['node', ['tools/serve.js'], 'package.json'],
  ['python3', ['tools'], 'tools/main.py'],
  ['./gradlew', ['serve'], 'build.gradle.kts'],
  ['task', ['serve'], 'Taskfile.yml'],
  ['npx.cmd', ['serve'], 'package.json'],
  ['uv', ['--directory', 'server', 'run', 'serve.py'], 'server/pyproject.toml'],
  ['serve', ['${workspaceFolder}/rules'], '/work/rules/index.js'],
])('%s %j starts the file %s', async (command, args, file) => {
  const programs = await readServerPrograms(
    { definition: { type: 'stdio', command, args, env: {} } },
    { root: '/work' },
    async (path) => (posix.normalize(path) === file ? { path: file, hash: 'hash' } : null),
  )
  expect(programs).toEqual({ [file]: 'hash' })
})

it('a manifest that the program does not read is not its program', async () => {
  const programs = await readServerPrograms(
    { definition: { type: 'stdio', command: './serve.sh', args: ['--rules=a.json'], env: {} } },
    { root: '/work' },
    async (path) => ({ path, hash: 'hash' }),
  )
  expect(Object.keys(programs)).not.toContain('package.json')
})
