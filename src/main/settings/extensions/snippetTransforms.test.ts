import { expect, it } from 'vitest'
import { withoutTransforms } from './snippetTransforms.ts'

const raw = String.raw

it.each([
  ['class ${1:Name} {}', 'class ${1:Name} {}'],
  [raw`${'${1/(.*)/${1:/upcase}/}'}!`, '${1}!'],
  [raw`a ${'${TM_FILENAME/'}(.*)\..+$/$1/g} b`, 'a ${TM_FILENAME} b'],
  ['echo \\${name/a/b}', 'echo \\${name/a/b}'],
  [raw`${'${1:${2/\\s+$/x/}}'}`, '${1:${2}}'],
])('%s becomes %s', (body, expected) => {
  expect(withoutTransforms(body)).toBe(expected)
})

it.each([
  raw`${'${1/'}\\/\s+$/x/}`,
  raw`${'${1/'}a`,
  raw`\\${'${1/'}(a+)+$/x/}`,
  raw`${'${1/'}[/]${'${2/'}a+$/x/}/y/}`,
  '${1/'.repeat(2000),
])('no start of a transform is left in %s', (body) => {
  // Escaped ones are texts.
  expect(withoutTransforms(body).replaceAll(/\\./gs, '')).not.toMatch(/\$\{\w+\//)
})
