import { answer, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** About 2,000 tokens of Markdown with headings, lists and code, ending in "The end." */
export const longText = [
  ...Array.from({ length: 20 }, (_, n) =>
    [
      `## Part ${n + 1}`,
      `A paragraph with *emphasis*, \`code\` and enough words to fill a line or two of the panel, so that it has to be laid out.`,
      `- first point of part ${n + 1}\n- second point, with **weight**`,
      `\`\`\`ts\nexport function part${n + 1}(value: number): string {\n  return \`part ${n + 1}: \${value * ${n + 1}}\`\n}\n\`\`\``,
    ].join('\n\n'),
  ),
  'The end.',
].join('\n\n')

/** Streamed at about 400 tokens a second, as a fast local model does. */
export const longAnswer: Scenario = {
  name: 'long-answer',
  turns: [
    {
      prompt: /./,
      steps: [
        {
          title: 'answer',
          play: () => ({ ...answer(say(longText)), pace: 2, usage: { promptTokens: 500, completionTokens: 2000 } }),
        },
      ],
    },
  ],
}
