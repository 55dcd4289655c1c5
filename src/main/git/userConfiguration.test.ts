import { expect, it } from 'vitest'
import { programOfUser } from './userConfiguration.ts'

it.each([
  ['user.name', 'sh ./x', null],
  ['alias.l', '!sh -c ./x', null],
  ['core.pager', './x', null],
  ['core.fsmonitor', 'true', null],
  ['core.fsmonitor', 'watchman-hook', 'watchman-hook'],
  ['core.fsmonitor', './x', undefined],
  ['core.fsmonitor', '.git/hooks/watch', undefined],
  ['diff.external', '', null],
  ['diff.external', '/usr/bin/difft', '/usr/bin/difft'],
  ['diff.external', 'sh x', undefined],
  ['diff.external', '~/x', undefined],
  ['diff.a.b.textconv', 'python tool.py', undefined],
  ['diff.pdf.command', '$HOME/x', undefined],
  ['filter.lfs.clean', 'git-lfs clean -- %f', 'git-lfs'],
  ['filter.lfs.process', 'git-lfs filter-process --skip', 'git-lfs'],
  ['filter.lfs.process', 'git-lfs filter-process; ./x', undefined],
  ['filter.x.smudge', 'cat\n./x', undefined],
  ['gpg.program', './x', undefined],
  ['gpg.ssh.program', './x', undefined],
  ['diff.submodule', 'short', null],
  ['diff.submodule', 'diff', undefined],
  ['status.submodulesummary', 'false', null],
  ['status.submodulesummary', '1', undefined],
  ['submodule.recurse', '', undefined],
])('%s = %j starts %j', (key, value, program) => {
  expect(programOfUser({ key, value })).toBe(program)
})
