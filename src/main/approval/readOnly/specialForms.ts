import type { Argument } from './optionSpec.ts'

/** Arguments of a command with its own grammar, or why it is not read-only. */
export type SpecialForm = { values: Argument[]; enters?: string } | { why: string }

const notListed = (word: string): SpecialForm => ({ why: `\`${word}\` is not one of its read-only forms` })

/** Parsers for commands whose arguments are not options and operands. */
export const specialForms: Readonly<Record<string, (words: readonly string[]) => SpecialForm>> = {
  echo: () => ({ values: [] }),
  cd: (words) => {
    const [folder, ...rest] = words[0] === '--' ? words.slice(1) : words
    return folder === undefined || folder.startsWith('-') || rest.length > 0
      ? { why: 'only `cd FOLDER` is read-only' }
      : { values: [{ kind: 'path', value: folder }], enters: folder }
  },
  find,
  test: (words) => test(words),
  '[': (words) => (words.at(-1) === ']' ? test(words.slice(0, -1)) : { why: 'its `]` is missing' }),
}

/** Conditions and actions of `find` without a value. */
const findFlags = new Set(
  (
    '-a -and -o -or -not ! ( ) , -daystart -depth -mount -xdev -noleaf -empty -false -true -executable -readable -writable ' +
    '-print -print0 -ls -prune -quit'
  ).split(' '),
)
/** Conditions of `find` with a value that is compared with names, times and sizes. */
const findValues = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin ' +
    '-ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -fstype -lname -ilname -newermt -printf'
  ).split(' '),
)
const findPaths = new Set(['-newer', '-anewer', '-cnewer', '-samefile'])

function find(words: readonly string[]): SpecialForm {
  const start = words.findIndex((word) => /^[-(!,]/.test(word))
  const folders = start < 0 ? words : words.slice(0, start)
  const values: Argument[] = folders.map((value) => ({ kind: 'path', value }))
  const rest = start < 0 ? [] : words.slice(start)
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? ''
    if (findFlags.has(word)) continue
    const value = rest[at + 1]
    if (value === undefined || !(findValues.has(word) || findPaths.has(word))) return notListed(word)
    if (findPaths.has(word)) values.push({ kind: 'path', value })
    at++
  }
  return { values }
}

const fileTest = /^-[abcdefghkprstuwxLNOGS]$/
const comparison = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'])

/** Excludes `-v` and `-R`, which evaluate their argument. */
function test(words: readonly string[]): SpecialForm {
  const [first = '', second = '', third = ''] = words[0] === '!' ? words.slice(1) : words
  const length = words[0] === '!' ? words.length - 1 : words.length
  if (length === 2 && /^-[nz]$/.test(first)) return { values: [] }
  if (length === 2 && fileTest.test(first)) return { values: [{ kind: 'path', value: second }] }
  if (length === 3 && comparison.has(second)) {
    if (/^-[no]t$|^-ef$/.test(second)) return { values: [first, third].map((value) => ({ kind: 'path', value })) }
    if (!second.startsWith('-') || [first, third].every((value) => /^-?\d+$/.test(value))) return { values: [] }
  }
  return { why: 'only tests of one file, of one text, or of two numbers are read-only' }
}
