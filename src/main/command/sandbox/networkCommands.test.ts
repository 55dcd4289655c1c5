import { expect, it } from 'vitest'
import { readInvocations } from '../invocations.ts'
import { needsNetwork } from './networkCommands.ts'

const needs = async (line: string): Promise<boolean> => needsNetwork((await readInvocations(line))?.commands ?? [])

it.each([
  'npm ci',
  'npm --silent install left-pad',
  'cd web && npm install',
  'FOO=1 npx create-vite',
  'npx -y cowsay',
  'npx cowsay@latest',
  'pip3 install -r requirements.txt',
  'python3.12 -m pip install x',
  'cargo add serde',
  'go mod download',
  'git fetch origin',
  'git clone https://example.com/a',
  'timeout 5 curl https://example.com',
  '/usr/bin/wget x',
  'npm run dev',
  'if true; then npm ci; fi',
])('%s gets network', async (line) => {
  expect(await needs(line)).toBe(true)
})

it.each([
  'npm test',
  'npm run build',
  'npx tsc --noEmit',
  'cargo build',
  'cargo test',
  'go test ./...',
  'git status',
  'git commit -m "fetch later"',
  'echo npm install',
  'pytest',
  'node server.js',
  'grep -r curl .',
  'make',
])('%s gets no network', async (line) => {
  expect(await needs(line)).toBe(false)
})
