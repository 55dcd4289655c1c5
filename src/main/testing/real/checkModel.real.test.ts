import { describe, expect, test } from 'vitest'
import type { ToolCallMethod } from '../../../shared/settings/toolCallMethods.ts'
import {
  taskSteps,
  type FindingCode,
  type ModelChecksState,
  type ModelReport,
  type Verdict,
} from '../../../shared/models/modelCheck.ts'
import type { RealServerName, RealServerOptions } from './realServers.ts'
import type { RealWorkspace } from './realWorkspace.ts'
import { serverUnderTest, toolTemplate, workspaceOn } from './serverUnderTest.ts'

/** A check of this model takes 3 minutes on an idle core, and its steps have shares of this time. */
const minutes = 60
const taskNames: readonly string[] = taskSteps

interface Case {
  title: string
  server: RealServerName
  options?: RealServerOptions
  model?: string
  /** The user's setting. Absent: Tizona chooses. */
  calls?: ToolCallMethod
  verdicts: readonly Verdict[]
  found: readonly FindingCode[]
  not?: readonly FindingCode[]
  recommended?: ToolCallMethod
}

/** Every answer of the model is a call in the text. */
const callGrammar = [
  '--grammar',
  String.raw`root ::= "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes.txt\"}}\n</tool_call>"`,
]

/** The causes for which a model does not call tools, told apart, and what the check recommends and proves. */
const cases: readonly Case[] = [
  {
    title: 'a template without tools: guided turns, as Tizona chooses for a model of this size',
    server: 'llama-server',
    verdicts: ['usable', 'limited'],
    found: ['no_tool_template', 'guided_calls'],
    not: ['tools_dropped', 'no_calls'],
  },
  {
    title: 'a template without tools and calls in text: guided turns are tried and recommended',
    server: 'llama-server',
    calls: 'text',
    verdicts: ['usable', 'limited'],
    found: ['no_tool_template', 'guided_calls'],
    not: ['tools_dropped', 'no_calls'],
    recommended: 'guided',
  },
  {
    title: 'a model that does not call the tools that reach it: guided turns are tried and recommended',
    server: 'llama-server',
    options: { args: toolTemplate },
    calls: 'native',
    verdicts: ['usable', 'limited'],
    found: ['guided_calls'],
    not: ['tools_dropped', 'no_tool_template', 'no_calls'],
    recommended: 'guided',
  },
  {
    title: 'a model that writes its calls in the text',
    server: 'llama-server',
    options: { args: callGrammar },
    calls: 'text',
    verdicts: ['unsuitable', 'limited'],
    found: ['no_tool_template', 'calls_as_text'],
    not: ['tools_dropped', 'no_calls', 'guided_calls'],
  },
  {
    title: 'a template without tools',
    server: 'ollama',
    verdicts: ['usable', 'limited'],
    found: ['no_tool_template', 'guided_calls'],
    not: ['tools_dropped', 'no_calls'],
  },
  {
    title: 'a model that does not call the tools that reach it',
    server: 'ollama',
    model: 'smollm2-tools:latest',
    calls: 'native',
    verdicts: ['usable', 'limited'],
    found: ['guided_calls'],
    not: ['tools_dropped', 'no_tool_template', 'no_calls'],
    recommended: 'guided',
  },
  {
    title: 'a server that drops tools and constrains no answer',
    server: 'llama-cpp-python',
    verdicts: ['unsuitable'],
    found: ['tools_dropped', 'no_calls'],
    not: ['no_tool_template'],
  },
  {
    title: 'a gateway before a server whose template has no tools',
    server: 'litellm',
    verdicts: ['unsuitable'],
    found: ['tools_dropped', 'no_calls'],
    not: ['no_tool_template'],
  },
  {
    title: 'a gateway before a server whose template has tools, with a model that calls none',
    server: 'litellm',
    options: { args: toolTemplate },
    verdicts: ['unsuitable'],
    found: ['no_calls'],
    not: ['tools_dropped', 'no_tool_template'],
  },
]

describe.each(cases)('the check of SmolLM2 at $server', async (each) => {
  const server = await serverUnderTest(each.server, each.options)

  test(`${each.title}`, { timeout: 2 * minutes * 60_000 }, async (context) => {
    const workspace = await workspaceOn(server(context), {
      ...(each.model !== undefined && { model: each.model }),
      ...(each.calls && { options: { calls: each.calls } }),
    })
    const report = await check(workspace)
    const { verdict, findings, recommendation, steps, ended, ms } = report
    const codes = findings.map(({ code }) => code)
    const solved = steps.filter(({ step, state }) => taskNames.includes(step) && state === 'passed')
    console.log(
      `${each.server}, ${each.title}: ${verdict} after ${Math.round(ms / 1000)} s, tasks solved: ${solved.length}; ` +
        `${codes.join(', ')}; ${recommendation.calls?.reason ?? 'no way recommended'}\n` +
        steps.map(({ step, state, note }) => `  ${step}: ${state}${note === undefined ? '' : `, ${note}`}`).join('\n'),
    )
    expect(ended).toBe('complete')
    expect(codes).toEqual(expect.arrayContaining([...each.found]))
    expect(codes.filter((code) => each.not?.includes(code))).toEqual([])
    expect(each.verdicts).toContain(verdict)
    expect(recommendation.calls?.value).toBe(each.recommended)
    // The recommendation is proved by tasks. A model that does nothing passes the refused call too.
    if (each.recommended) expect(solved.length).toBeGreaterThan(0)
  })
})

async function check({ core, choice, request }: RealWorkspace): Promise<ModelReport> {
  const { promise, resolve, reject } = Promise.withResolvers<ModelReport>()
  const unsubscribe = core.subscribe((name, payload) => {
    if (name !== 'modelCheck.changed') return
    // The payload of this event has this type.
    const { running, problem, reports } = payload as ModelChecksState
    if (running === null && reports[0]) resolve(reports[0])
    else if (running === null) reject(new Error(problem ?? 'no report'))
  })
  try {
    await request('modelCheck.start', { ...choice, minutes })
    return await promise
  } finally {
    unsubscribe()
  }
}
