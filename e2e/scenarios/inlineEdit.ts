import { answer, say, think, waitForGate, type Reply, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Answers inline edits by their last instruction. The lines are those of e2e/inlineEdit.spec.ts. */
export const inlineEdit: Scenario = {
  name: 'inline-edit',
  turns: [],
  respond({ messages }): Reply {
    if (messages.at(-1)?.content.startsWith('Suggest'))
      return answer(
        say('Like this:\n\n```ts\nfunction add(a, b, c) {\n  const sum = a + b\n  return sum + c\n}\n```\n'),
      )
    const instruction = /(?:Instruction|Change your answer): ([^]*)$/.exec(messages.at(-1)?.content ?? '')?.[1] ?? ''
    if (/slowly/.test(instruction))
      return answer(
        think('The user wants types.'),
        say('```ts\n  const sum: number = a + b\n  log(sum)\n'),
        waitForGate('rest'),
        say('  return sum\n```'),
      )
    if (/types/.test(instruction))
      // Unindented, with prose around the fence, as small models answer.
      return answer(
        say('Sure, here it is:\n\n```ts\nconst sum: number = a + b\n'),
        say('return sum as number\n```\nDone.'),
      )
    if (/rounded/.test(instruction)) return answer(say('```ts\n  return Math.round(a + b)\n```'))
    if (/test/.test(instruction)) return answer(say('```ts\nexport const one = add(0, 1)\n```'))
    if (/impossible/.test(instruction)) return answer(say("I'm sorry, but I can't do that."))
    return { status: 500, body: JSON.stringify({ error: { message: 'out of memory' } }) }
  },
}
