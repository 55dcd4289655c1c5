import { expect, it } from 'vitest'
import { isPassiveConfiguration } from './passiveConfiguration.ts'

const usual = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
# a comment
[remote "origin"]
\turl = https://example.com/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
[user]
\temail = a@example.com
`

it('a usual configuration starts no program', () => {
  expect(isPassiveConfiguration(usual)).toBe(true)
  expect(isPassiveConfiguration(usual.replaceAll('\n', '\r\n'))).toBe(true)
})

it.each([
  '',
  '[core]\n\tfsmonitor = ./watch.sh',
  '[CORE]\n\tFsMonitor = ./watch.sh',
  '[core] fsmonitor = ./watch.sh',
  '[core]\n\tpager = ./page.sh',
  '[core]\n\thooksPath = hooks',
  '[diff]\n\texternal = ./diff.sh',
  '[diff "x"]\n\ttextconv = ./convert.sh',
  '[filter "x"]\n\tclean = ./clean.sh',
  '[pager]\n\tlog = ./page.sh',
  '[gpg]\n\tprogram = ./gpg.sh',
  '[remote "origin"]\n\tuploadpack = ./pack.sh',
  '[include]\n\tpath = ../evil',
  '[includeIf "gitdir:**"]\n\tpath = ../evil',
  '[extensions]\n\tworktreeConfig = true',
  '[user]\n\tname = a \\\n[core]\n\tfsmonitor = x',
  '[user]\n\tname = a\n[branch "a\\"b"]\n\tx = y',
])('%j is not proven to start none', (text) => {
  expect(isPassiveConfiguration(text)).toBe(false)
  if (text !== '') expect(isPassiveConfiguration(`${usual}${text}\n`)).toBe(false)
})
