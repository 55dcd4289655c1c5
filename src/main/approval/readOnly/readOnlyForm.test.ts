import { expect, it } from 'vitest'
import { readOnlyCommands, readOnlyForm } from './readOnlyForm.ts'

const words = (line: string) => line.split(' ')

it.each([
  'ls -la src',
  'cat -n a b',
  'head -20 a',
  'head -n20 a',
  'head -n 20 a',
  'tail -n +5 a',
  'sort -t, -k2,2n a',
  'uniq -c',
  'grep -rn --include=*.ts x src',
  'grep -A3 -B 3 x a',
  'rg -n -g *.ts x src',
  'rg --files src',
  'find src -type f ( -name *.ts -o -name *.js ) -not -empty -print0',
  'sed -n 1,20p a',
  'sed -n /x/,/y/p a',
  'sed -n $= a',
  'sed -n -e 1p -e 5q a',
  'jq .scripts.test package.json',
  'jq -r .[]|select(.a=="b")|.name a.json',
  'git log --oneline -5 -- src/a.ts',
  'git log --since=2.weeks --author=x',
  'git diff -U5 HEAD~1..HEAD',
  'git show HEAD:src/a.ts',
  'git branch --list feature/*',
  'git branch --contains HEAD',
  'git stash list',
  'date +%F',
  'printf %s\\n x y',
  'printf %-8s|%05.2f|%%|%q|%b\\n a 1 b c',
  'test -f a',
  'test 1 -lt 2',
  '[ -d src ]',
  'cd src',
  'command -v node',
  'node --version',
])('%s is a read-only form', (line) => {
  expect(readOnlyForm(words(line))).toHaveProperty('rule')
})

it.each([
  ['npm test', 'No read-only rule covers `npm`.'],
  ['constructor', 'No read-only rule covers `constructor`.'],
  ['toString x', 'No read-only rule covers `toString`.'],
  ['sort -o a b', '`-o` is not one of the read-only options of `sort`.'],
  ['git stash', 'No read-only rule covers `git stash`.'],
  ['sed 1p a', '`sed` is read-only only with -n or --quiet or --silent.'],
  ['sed -n 1w a', '`1w` is not a read-only argument of `sed`.'],
  ['find . -delete', '`-delete` is not one of its read-only forms.'],
  ['printf %n x', '`%n` is not a read-only argument of `printf`.'],
  ['uniq a b', '`uniq` is not read-only with these arguments.'],
])('%s is not a read-only form, with a specific reason', (line, why) => {
  expect(readOnlyForm(words(line))).toEqual({ why })
})

it('names every covered command once, in order', () => {
  const names = readOnlyCommands()
  expect(names).toEqual([...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1)))
  expect(names).toEqual(expect.arrayContaining(['cat', 'cd', 'find', 'git log', 'ls', 'node --version', 'rg', 'sed']))
})
