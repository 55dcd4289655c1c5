import { describe, expect, it } from 'vitest'
import { matchExponent, readsSomething } from './matchTime.ts'

const raw = String.raw

describe('the time of a match', () => {
  it.each([
    [raw`^\s*//\s*#?region\b`, ''],
    [raw`^#!.*\bnode`, ''],
    [raw`\w+`, ''],
    [raw`foo\s*$`, ''],
    [raw`(\<\?xml.*)|(\<svg)`, ''],
    [raw`^((?!//).)*\}$`, ''],
    [raw`^[a-z0-9]+(-[a-z0-9]+)*$`, 'u'],
    [raw`^([\u0431-\u0434]|\x68)+$`, ''],
    [raw`^(?:[a-z]+|\d+)*$`.replace('+|', '|').replace('+)', ')'), ''],
  ])('%s is proved linear', (pattern, flags) => {
    expect(matchExponent(pattern, flags)).toBeLessThanOrEqual(1)
  })

  it.each([
    [raw`\s+$`, ''],
    [raw`^.*\{.*$`, ''],
    [raw`^\s*#?\s*region`, ''],
    [raw`(-?\d*\.\d\w*)|([^\s]+)`, ''],
    [raw`^[a-z]+[A-Z]+$`, 'i'],
    [raw`^(?=.*x)\w+$`, ''],
  ])('%s is proved quadratic', (pattern, flags) => {
    expect(matchExponent(pattern, flags)).toBe(2)
  })

  it.each([
    [raw`(?:[\x68-\x6a]+)+!`, ''],
    [raw`([\u0431-\u0434]+)+!`, ''],
    [raw`^(a|a)*$`, ''],
    [raw`^(a|A)*$`, 'i'],
    [raw`^(a|\u{1F600}|[^a])*b`.replace('[^a]', '[^b]'), 'u'],
    [raw`^(\w|_)*$x`, ''],
    [raw`^(a?){30}a{30}$`, ''],
    [raw`^(a*)*$`, ''],
    [`${'a?'.repeat(20)}b`, ''],
    [`${'(a|b|[ab])'.repeat(20)}c`, ''],
    [raw`^(a+)\1$`, ''],
    [raw`(?<=(a+)+)b`, ''],
    [raw`(?!(a+)+$)b`, ''],
    [raw`^(?:${'a'.repeat(500)})$`, ''],
    [`${'('.repeat(20_000)}a${')'.repeat(20_000)}`, ''],
    [raw`^(\ud83d\ude00|.)*x`, 'u'],
  ])('%s is not proved', (pattern, flags) => {
    expect(matchExponent(pattern, flags)).toBe(Number.POSITIVE_INFINITY)
  })

  it('grows with each repetition that can read the same', () => {
    expect(matchExponent(raw`^.*a.*b.*c$`, '')).toBe(3)
    expect(matchExponent(raw`.*a.*b.*c$`, '')).toBe(4)
  })
})

it('knows expressions that may match nothing, which Monaco would search forever as words', () => {
  const words = [raw`\w+`, raw`(a|b+)c*`, raw`^a`, raw`\w*`, raw`(?=a)`, raw`a|\b`, raw`(a?){3}`]
  expect(words.filter((word) => readsSomething(word, ''))).toEqual(words.slice(0, 3))
})
