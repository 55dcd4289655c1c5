import type { ReadCommand, ReadWord } from '../command/shellReading.ts'
import { runByGit } from './gitRuns.ts'
import {
  anyWords,
  fill,
  runFromInput,
  isDevice,
  isFilePattern,
  isLiteral,
  programName,
  type LaunchedCommands,
} from './launchedCommands.ts'

/** Returns a run of a script file. The commands in the file are not read. */
function script(file: ReadWord, { stdin, words }: ReadCommand): LaunchedCommands {
  const name = words[0]?.text ?? ''
  if (!isLiteral(file)) return { unknown: `The shell computes the script of \`${name}\`.` }
  return isDevice(file.text) ? runFromInput(/stdin|fd\/0|^-$/.test(file.text) ? stdin : { kind: 'unknown' }, name) : {}
}

/** Options whose value is another line for the shell to run, such as `fish -C LINE` and `nu -e LINE`. */
const lineOptions: ReadonlyMap<string, RegExp> = new Map([
  ['fish', /^(?:-C|--command|--init-command)$/],
  ['nu', /^(?:-c|--commands|-e|--execute)$/],
])
const anyLineOption = /^--(?:command|init-command)$/

/** Finds the lines that a shell runs. */
export function runByShell(words: readonly ReadWord[], command: ReadCommand): LaunchedCommands {
  const name = command.words[0]?.text ?? ''
  const takesLine = lineOptions.get(programName(name)) ?? anyLineOption
  const lines: ReadWord[] = []
  let readsLine = false
  let at = 0
  for (; at < words.length; at++) {
    const { text, unknown } = words[at] ?? anyWords
    if (unknown !== undefined && readsLine && !text.startsWith('-')) break
    if (unknown !== undefined) return { unknown: `The shell computes the arguments of \`${name}\`.`, mentions: true }
    if (text === '--' || text === '-') {
      at++
      break
    }
    if (!/^[-+]./.test(text)) break
    const [option = ''] = text.split('=')
    if (takesLine.test(option)) {
      const value = option === text ? words[++at] : { text: text.slice(option.length + 1) }
      if (value) lines.push(value)
      continue
    }
    if (/^--(?:rcfile|init-file)$/.test(text)) {
      at++
      continue
    }
    if (text.startsWith('--')) continue
    if (text.includes('s') && !text.includes('c') && text.startsWith('-')) return runFromInput(command.stdin, name)
    if (text.includes('c') && text.startsWith('-')) readsLine = true
    // `-o pipefail`: the name of a shell option follows.
    if (/[oO]$/.test(text)) at++
  }
  const operand = words[at]
  if (readsLine || lines.length > 0) return { lines: operand === undefined ? lines : [...lines, operand] }
  return operand === undefined ? runFromInput(command.stdin, name) : script(operand, command)
}

/** A launcher with varied syntax: any argument may be the command. */
export function runByLooseLauncher(words: readonly ReadWord[], command: ReadCommand): LaunchedCommands {
  const start = words.findIndex((word) => !word.text.startsWith('-'))
  const isUnknown = words.some((word) => !isLiteral(word) && !isFilePattern(word))
  return {
    commands: start < 0 ? [] : [{ words: words.slice(start), assignments: [], stdin: command.stdin }],
    unknown: isUnknown
      ? `\`${command.words[0]?.text}\` runs a command, and the shell computes its arguments.`
      : undefined,
    mentions: true,
  }
}

/** `su USER -c LINE`. After `--`, the options belong to a shell. */
function switchUser(words: readonly ReadWord[], command: ReadCommand): LaunchedCommands {
  const name = command.words[0]?.text ?? ''
  if (words.some((word) => !isLiteral(word) && !isFilePattern(word)))
    return { unknown: `The shell computes arguments of \`${name}\`.`, mentions: true }
  const texts = words.map(({ text }) => text)
  const lines: ReadWord[] = []
  for (const [index, text] of texts.entries()) {
    const joined = /^--(?:session-)?command=(.*)$/s.exec(text)?.[1]
    if (joined !== undefined) lines.push({ text: joined })
    else if (/^--(?:session-)?command$|^-[a-zA-Z]*c$/.test(text)) lines.push({ text: texts[index + 1] ?? '' })
    else if (/^-c./.test(text)) lines.push({ text: text.slice(2) })
  }
  if (lines.length > 0) return { lines, mentions: true }
  const user = texts.findIndex((text) => /^-[lmpPf]*u$|^--user$/.test(text))
  const joinedUser = texts.findIndex((text) => /^-u.|^--user=/.test(text))
  const start = user >= 0 ? user + 2 : joinedUser + 1
  if (start === 0) return { ...runFromInput(command.stdin, name), mentions: true }
  const inner = words.slice(texts[start] === '--' ? start + 1 : start)
  return { commands: [{ words: inner, assignments: [], stdin: command.stdin }], mentions: true }
}

const findValues =
  /^-(?:i?(?:name|path|regex|wholename|lname)|regextype|x?type|size|[mac](?:time|min)|perm|user|group|uid|gid|links|inum|(?:max|min)depth|fstype|newer..|[ac]?newer|samefile|used|printf|fprintf|fprint0?|fls|context|files0-from|D)$/

function find(words: readonly ReadWord[], { stdin }: ReadCommand): LaunchedCommands {
  const commands: ReadCommand[] = []
  let isExpression = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? anyWords
    if (isLiteral(word) && /^-(?:exec|execdir|ok|okdir)$/.test(word.text)) {
      const rest = words.slice(at + 1)
      const end = rest.findIndex(({ text }, index) => text === ';' || (text === '+' && rest[index - 1]?.text === '{}'))
      const inner = (end < 0 ? rest : rest.slice(0, end)).map((each) => fill(each, '{}'))
      commands.push({ words: inner, assignments: [], stdin })
      if (end < 0) break
      at += end + 1
      continue
    }
    if (isLiteral(word) && findValues.test(word.text)) {
      isExpression = true
      const value = words[at + 1]
      if (value === undefined || value.unknown !== 'words' || isFilePattern(value) || /^[*?[]/.test(value.text)) {
        at++
        continue
      }
    }
    if (isLiteral(word)) isExpression ||= /^[-(!,]/.test(word.text)
    else if (!isFilePattern(word) && (isExpression || word.unknown === 'words'))
      return { commands, unknown: 'The shell computes arguments of `find`, which can run a command.', mentions: true }
  }
  return { commands }
}

function fd(words: readonly ReadWord[], { stdin }: ReadCommand): LaunchedCommands {
  for (const [index, word] of words.entries()) {
    if (word.unknown === 'words' && !isFilePattern(word))
      return { unknown: 'The shell computes arguments of `fd`, which can run a command.', mentions: true }
    const attached = /^--exec(?:-batch)?=(.*)$/s.exec(word.text)?.[1] ?? /^-[A-Za-z]*?[xX](.+)$/s.exec(word.text)?.[1]
    if (attached === undefined && !/^(?:--exec(?:-batch)?|-[A-Za-z]*[xX])$/.test(word.text)) continue
    const rest = words.slice(index + 1)
    const inner = [...(attached === undefined ? [] : [{ ...word, text: attached }]), ...rest]
    return { commands: [{ words: inner.map((each) => fill(each, '{}')), assignments: [], stdin }], mentions: true }
  }
  return {}
}

type SpecialRun = (rest: readonly ReadWord[], command: ReadCommand) => LaunchedCommands

export const specialRuns = new Map<string, SpecialRun>([
  ['git', runByGit],
  ['find', find],
  ['gfind', find],
  ['fd', fd],
  ['fdfind', fd],
  ['su', switchUser],
  ['runuser', switchUser],
  ['sg', (words, command) => group(words, command)],
  ['coproc', coprocess],
  ['newgrp', (_words, command) => runFromInput(command.stdin, 'newgrp')],
  [
    'eval',
    (words) => ({
      lines: [
        { text: words.map(({ text }) => text).join(' '), unknown: words.find((word) => !isLiteral(word))?.unknown },
      ],
    }),
  ],
  ['trap', (words) => trap(words)],
  [
    'alias',
    (words) => ({ lines: words.map((word) => ({ ...word, text: word.text.slice(word.text.indexOf('=') + 1) })) }),
  ],
  ['.', source],
  ['source', source],
  ['at', scheduled],
  ['batch', scheduled],
  ['crontab', scheduled],
])

/** `sg GROUP LINE` and `sg GROUP -c LINE`. */
function group(words: readonly ReadWord[], command: ReadCommand): LaunchedCommands {
  const [, ...line] = words.filter(({ text }) => !/^-(?:c|l|)$/.test(text))
  if (words.some(({ unknown }) => unknown !== undefined))
    return { unknown: 'The shell computes arguments of `sg`.', mentions: true }
  return line.length === 0
    ? { ...runFromInput(command.stdin, 'sg'), mentions: true }
    : { lines: [{ text: line.map(({ text }) => text).join(' ') }], mentions: true }
}

/** `coproc COMMAND` and `coproc NAME { …; }`. */
function coprocess(words: readonly ReadWord[], command: ReadCommand): LaunchedCommands {
  const group = words.findIndex(({ text }) => /^[{(]$/.test(text))
  return {
    commands: [{ words: words.slice(group === 1 ? 2 : 0), assignments: [], stdin: command.stdin }],
    mentions: true,
  }
}

function trap(words: readonly ReadWord[]): LaunchedCommands {
  const action = words.find(({ text }) => text !== '--')
  return action === undefined || action.text.startsWith('-') ? { mentions: true } : { lines: [action] }
}

function source(words: readonly ReadWord[], command: ReadCommand): LaunchedCommands {
  const file = words.find(({ text }) => text !== '--')
  return file === undefined ? {} : script(file, command)
}

/** `at`, `batch` and `crontab` read commands from a file or their input. */
function scheduled(words: readonly ReadWord[], command: ReadCommand): LaunchedCommands {
  const name = command.words[0]?.text ?? ''
  if (words.some((word) => !isLiteral(word))) return { unknown: `The shell computes arguments of \`${name}\`.` }
  if (words.some(({ text }) => /^-(?:[lrecdq]|f.*)$/.test(text))) return {}
  const file = words.find(({ text }) => !text.startsWith('-') || text === '-')
  return name === 'crontab' && file !== undefined ? script(file, command) : runFromInput(command.stdin, name)
}
