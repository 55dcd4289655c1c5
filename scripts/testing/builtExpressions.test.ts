import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { check } from 'recheck'
import { expect, test } from 'vitest'

// Expressions that are put together from strings are not literals, so expressions.test.ts does not find them. Here the
// modules that build them are imported while the constructor is watched.

const root = resolve(import.meta.dirname, '../..')
/** Milliseconds for one expression. */
const timeout = 20_000

/**
 * Modules that build an expression only when they are called, or one that `recheck` cannot judge, and what bounds its
 * time.
 */
const judged: Readonly<Record<string, string>> = {
  'src/main/agent/guards/promisedCall.ts': 'anchored; every word is followed by a space, so a text has one reading',
  'src/main/approval/commandPrefix.ts':
    'anchored; reads one word of a command, whose repetitions share no letter with what follows',
  'src/main/approval/readOnly/readOnlyForm.ts':
    'anchored; reads one command of a sed script, whose numbers and spaces end at fixed letters',
  'src/main/base/jsonRpcEnds.ts':
    'two are anchored; the third starts at a bracket, and its only unbounded repetitions are of spaces between fixed characters',
  'src/main/code/index/languageDocs.ts': 'runs on our own grammar queries when the documents are written',
  'src/main/command/shellParse.ts': 'anchored; a line of tabs and one literal name',
  'src/main/edit/definitionRange.ts': 'anchored; every modifier is followed by a space, so a text has one reading',
  'src/main/instructions/instructionText.ts': 'two repetitions of at most 20 spaces around a fixed tag name',
  'src/main/model/clients/controlTokens.ts':
    'lookaheads of at most 60 characters; the repetition of zero-width spaces starts at one character only',
  'src/main/model/textCalls/delimiters.ts': 'an alternation of literal tokens without repetition',
  'src/main/model/textCalls/glm.ts': 'bounded repetitions between fixed tags; the prefix is one of two constants',
  'src/main/model/textCalls/invokeTag.ts': 'starts with a fixed tag; its name has at most 128 characters',
  'src/main/model/textCalls/taggedCall.ts': 'a copy of a literal that expressions.test.ts judges',
  'src/main/settings/extensions/attackTexts.ts':
    'one character or class of an expression, matched with single characters in a process with a time limit',
  'src/main/settings/extensions/expressionWorker.ts': 'runs in a process of its own, with a time limit for each match',
  'src/main/tasks/lineMatcherWorker.ts': 'runs in a thread of its own, which is terminated if it does not respond',
  'src/main/tools/rustant/smartTarget.ts': 'anchored; an alternation of words and one name',
  'src/main/settings/extensions/matchTime.ts':
    'repeats one character or class of an expression, in a process with a time limit',
  'src/shared/agent/mentions.ts':
    'each alternative ends at the first quote or space, and a match starts at a mark only',
  'src/shared/extensions/languageConfiguration.ts': 'compiled to see whether it is valid, and never matched',
  'src/shared/tools/toolsetSuggestion.ts': 'literals that expressions.test.ts judges, on the name of a model',
}

test('every regular expression that main builds from strings takes linear time, or was reviewed by hand', async () => {
  const files = globSync('src/{main,shared}/**/*.ts', { cwd: root })
    .filter((file) => !/\.test\.ts$|\/testing\/|testSupport/.test(file))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('new RegExp('))
    .toSorted()
  expect(files.length).toBeGreaterThan(10)
  const original = globalThis.RegExp
  const problems: string[] = []
  for (const file of files.filter((each) => !Object.hasOwn(judged, each))) {
    const built: { source: string; flags: string }[] = []
    globalThis.RegExp = new Proxy(original, {
      construct(target, [pattern, flags], newTarget) {
        const made: RegExp = Reflect.construct(target, [pattern, flags], newTarget)
        if (typeof pattern === 'string') built.push({ source: made.source, flags: made.flags })
        return made
      },
    })
    try {
      await import(join(root, file))
    } finally {
      globalThis.RegExp = original
    }
    const own = new Map(built.map((each) => [`/${each.source}/${each.flags}`, each]))
    if (own.size === 0) problems.push(`${file} builds its expressions when it is called: judge them by hand`)
    for (const [text, { source, flags }] of own) {
      const verdict = await check(source, flags.replaceAll(/[dv]/g, ''), { timeout, checker: 'automaton' })
      if (verdict.status !== 'safe') problems.push(`${file}: ${text.slice(0, 300)} ${verdict.status}`)
    }
  }
  expect(problems).toEqual([])
  expect(Object.keys(judged).filter((file) => !files.includes(file))).toEqual([])
}, 300_000)
