import { expect, test } from 'vitest'
import { parseMentions } from '../../shared/agent/mentions.ts'
import { promisesCall } from '../agent/guards/promisedCall.ts'
import { readRefusal } from '../model/clients/refusal.ts'
import { cannotCallTools } from '../model/transport/modelErrors.ts'
import { cleanTitle } from '../agent/titles.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { cursorAt } from '../code/resolve/cursorContext.ts'
import { stem } from '../code/describe/descriptionTerms.ts'
import { looksLikePrompt } from '../command/inputDetection.ts'
import { findProgram } from '../command/shellProgram.ts'
import { bracketBalance } from '../edit/definitionRange.ts'
import { detectPatchFormat, parsePatchSections } from '../edit/patchFormats.ts'
import { parseFrontMatter } from '../instructions/frontMatter.ts'
import { contextOverflow } from '../model/transport/contextOverflow.ts'
import { deepseek } from '../model/textCalls/deepseek.ts'
import { functionary } from '../model/textCalls/functionary.ts'
import { harmony } from '../model/textCalls/harmony.ts'
import { mistral } from '../model/textCalls/mistral.ts'
import { readClaims } from '../tools/blade/investigation/modelFindings.ts'
import { isTruncatedJson } from '../tools/arguments/repairJson.ts'

// Texts of a megabyte on which a backtracking expression takes minutes. Workspaces, programs and models can send any
// of them.
const length = 1_000_000

test('hostile files and program output do not block the main process', async () => {
  expect(isTruncatedJson(`{"a":1}${' '.repeat(length)}x`)).toBe(false)
  expect(looksLikePrompt(`${'(y/'.repeat(length / 4)}x`)).toBe(false)
  expect(shippedPlaceRules.protection(`${'.'.repeat(length)}x`)).toBeUndefined()
  expect(
    parseFrontMatter(`---\ndescription: x\n-${' '.repeat(length)}\u2028x\n---\n`).fields.get('description'),
  ).toEqual(['x', 'x'])
  const lines = parseFrontMatter(`---\ndescription:\n${' x\n'.repeat(length / 4)}---\n`)
  expect(lines.fields.get('description')?.[0]).toHaveLength(length / 2 - 1)
  expect(cursorAt('a.ts', `${'a'.repeat(length)};${'a'.repeat(length)}`, 1, length + 3).word?.text).toHaveLength(length)
  await expect(findProgram(`${'1'.repeat(length)}a`, '/', { PATH: '/usr/bin' })).rejects.toMatchObject({
    code: 'command_not_found',
  })
})

test('an answer with an unclosed code fence does not block the main process', () => {
  expect(promisesCall(`${'```\n'.repeat(length / 4)}x`, false)).toBe(false)
  expect(promisesCall(`x\n${'```'.repeat(length / 3)}\n~~~`, false)).toBe(false)
  expect(readClaims(`\`\`\`${'\n'.repeat(length)}`)).toBeUndefined()
  expect(readClaims(JSON.stringify({ findings: [`${' '.repeat(length)}x`] }))?.findings[0]?.evidence).toEqual([
    { path: '', line: Number.NaN, quote: '' },
  ])
  const call = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n'
  const spaces = ' '.repeat(length)
  expect(deepseek.parse(`${call}{"path":"${spaces}"}${spaces}\n\`\`\`<｜tool▁call▁end｜>`, true)).toMatchObject({
    kind: 'envelope',
    calls: [{ name: 'read_file' }],
  })
  // In chunks: the pending text is parsed again with each chunk.
  expect(deepseek.parse(`${call}${spaces}`, false)).toEqual({ kind: 'noMatch' })
})

test('hostile messages, descriptions, patches, code and errors do not block the main process', () => {
  expect(parseMentions(`@a${'!'.repeat(length)}x`)).toHaveLength(1)
  expect(stem(`${'a'.repeat(length / 4)}${'ing'.repeat(length / 4)}x`)).toHaveLength(length + 1)
  expect(cleanTitle(`A title${'.'.repeat(length)}x`)).toBe('A title')
  expect(bracketBalance(`(${'\\"'.repeat(length / 2)}`)).toBe(1)
  expect(bracketBalance(`"(" + '(' + "\\"(" + (it's`)).toBe(1)
  const blocks = `${':'.repeat(length)}x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n`
  expect(detectPatchFormat(blocks)).toBe('blocks')
  expect(parsePatchSections(blocks, 'a.ts')).toMatchObject([{ path: 'a.ts' }])
  expect(contextOverflow('0'.repeat(length), '')).toBeUndefined()
  expect(cannotCallTools('tool use '.repeat(length / 10))).toBe(false)
  for (const part of ['{{', `"'\``, '"a', 'unknown ', 'failed to parse '])
    expect(readRefusal(400, part.repeat(length / part.length), { messages: [] })?.causes).toEqual([])
})

test('space between the parts of a call in text does not block the main process', () => {
  const space = ' '.repeat(length)
  expect(harmony.parse(`<|channel|>commentary${space}<|constrain|>${space}x`, true)).toEqual({ kind: 'noMatch' })
  expect(functionary.parse(`<|recipient|>${space}!`, true)).toEqual({ kind: 'noMatch' })
  expect(mistral.parse(`[TOOL_CALLS]read_file[${'A'.repeat(length)}!`, true)).toEqual({ kind: 'noMatch' })
  expect(mistral.parse(`[TOOL_CALLS]${space}!`, true)).toEqual({ kind: 'noMatch' })
})
