import { answer, call, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** `use TOOL` calls a tool of an MCP server and repeats the result. */
export const serverTool: Scenario = {
  name: 'server-tool',
  turns: [
    {
      prompt: /^use /,
      steps: [
        { title: 'use', play: ({ prompt }) => answer(call(prompt.slice('use '.length), { text: 'hola\u0007' })) },
        {
          title: 'tell',
          play: (seen) => answer(say(`The model read: ${seen.result(seen.prompt.slice('use '.length)).text}`)),
        },
      ],
    },
  ],
}
