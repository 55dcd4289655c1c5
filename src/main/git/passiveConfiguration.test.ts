import { expect, it } from 'vitest'
import { readPassiveConfiguration } from './passiveConfiguration.ts'

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
  expect(readPassiveConfiguration(usual)).toEqual({})
  expect(readPassiveConfiguration(usual.replaceAll('\n', '\r\n'))).toEqual({})
})

it.each([
  '[core]\n\tfsmonitor = true',
  '[pager]\n\tbranch = false',
  '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\trequired = true',
  '[lfs "https://example.com/a.git/info/lfs"]\n\tlocksverify = false',
  '[blame]\n\tignoreRevsFile = .git-blame-ignore-revs',
  '[alias]\n\tl = !./log.sh',
  '[extensions]\n\tworktreeConfig = true',
  '[submodule "a"]\n\tactive = true\n\turl = ../a',
])('%j starts none', (text) => {
  expect(readPassiveConfiguration(`${usual}${text}\n`)).toEqual({})
})

it('a folder is left to the caller', () => {
  expect(readPassiveConfiguration('[core]\n\thooksPath = .husky/_\n\tworktree = ../a b')).toEqual({
    hooksPath: '.husky/_',
    workTree: '../a b',
  })
})

it.each([
  '',
  '[core]\n\tfsmonitor = ./watch.sh',
  '[CORE]\n\tFsMonitor = ./watch.sh',
  '[core] fsmonitor = ./watch.sh',
  '[core]\n\tpager = ./page.sh',
  '[core]\n\thooksPath = "hooks"',
  '[core]\n\thooksPath',
  '[core]\n\tfsmonitor',
  '[diff]\n\texternal = ./diff.sh',
  '[diff "x"]\n\ttextconv = ./convert.sh',
  '[filter "x"]\n\tclean = ./clean.sh',
  '[filter "lfs"]\n\tclean = git-lfs clean -- %f; ./clean.sh',
  '[blame]\n\tignoreRevsFile = /etc/passwd',
  '[pager]\n\tlog = ./page.sh',
  '[gpg]\n\tprogram = ./gpg.sh',
  '[remote "origin"]\n\tuploadpack = ./pack.sh',
  '[include]\n\tpath = ../evil',
  '[includeIf "gitdir:**"]\n\tpath = ../evil',
  '[extensions]\n\tpartialClone = origin',
  '[remote "origin"]\n\tpromisor = true',
  '[submodule]\n\trecurse = true',
  '[user]\n\tname = a \\\n[core]\n\tfsmonitor = x',
  '[user]\n\tname = a\n[branch "a\\"b"]\n\tx = y',
])('%j is not proven to start none', (text) => {
  expect(readPassiveConfiguration(text)).toBeUndefined()
  if (text !== '') expect(readPassiveConfiguration(`${usual}${text}\n`)).toBeUndefined()
})
