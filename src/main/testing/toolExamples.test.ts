import { describe, expect, test } from 'vitest'
import { bladeToolset } from '../tools/blade/bladeToolset.ts'
import { rustantToolset } from '../tools/rustant/rustantToolset.ts'
import { rustyToolset } from '../tools/rusty/rustyToolset.ts'
import { tizonaTools } from '../tools/tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from '../tools/ultrasushitron/ultraSushiTronToolset.ts'
import { runExample } from './toolExamples.ts'

// The examples of docs/tools.md, each as a call through the executor.

const own = { ...bladeToolset, title: "Tizona's own", tools: tizonaTools }

describe.each([bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset, own])('$title', (toolset) => {
  const examples = toolset.tools.flatMap((tool) =>
    (tool.examples ?? []).map((example, index) => ({ name: tool.name, nth: index + 1, tool, example })),
  )

  test('has an example of every tool', () => {
    expect(
      toolset.tools.filter(({ name }) => !examples.some((example) => example.name === name)).map(({ name }) => name),
    ).toEqual([])
  })

  test.each(examples)('example $nth of $name runs', async ({ tool, example }) => {
    const { ok, text, view } = await runExample(toolset, tool, example)
    expect({ ok, text }).toMatchObject({ ok: true, text: expect.stringMatching(/\S/) })
    // A result in JSON is one for a program to read.
    if (view.kind === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow()
  })
})
