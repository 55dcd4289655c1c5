import { z } from 'zod'
import { toolCallMethods } from '../settings/toolCallMethods.ts'
import { profileChoices } from '../agent/promptProfile.ts'
import { toolsetNames } from '../tools/risk.ts'

/** The steps of a check in order: first requests that measure the server, then tasks for the model. */
const probeSteps = ['answer', 'call', 'cache', 'window', 'vision'] as const
export const taskSteps = ['read', 'edit', 'repair', 'two-calls', 'long-file', 'refusal'] as const
export const checkSteps = [...probeSteps, ...taskSteps] as const
/** Default time limit of a check in minutes. */
export const defaultCheckMinutes = 30
export type TaskStep = (typeof taskSteps)[number]
export type CheckStep = (typeof checkSteps)[number]

export const checkStepTexts: Readonly<Record<CheckStep, string>> = {
  answer: 'Answer, speed and thinking',
  call: 'Call a tool',
  cache: 'Prompt cache between turns',
  window: 'Context window',
  vision: 'Recognize an image',
  read: 'Read a file and answer',
  edit: 'Edit one line exactly',
  repair: 'Repair code until its tests pass',
  'two-calls': 'Make two calls at once',
  'long-file': 'Find a line in a long file',
  refusal: 'Respect a refused call',
}

/**
 * `waiting` and `running` occur only during a check. `failed`: the model did not succeed, unless `note` has another
 * reason.
 */
const stepStates = ['waiting', 'running', 'passed', 'failed', 'skipped', 'cancelled'] as const

const stepSchema = z.object({
  step: z.enum(checkSteps),
  state: z.enum(stepStates),
  ms: z.number().optional(),
  /** Number of requests to the model, and of tool calls. Set for tasks only. */
  requests: z.number().optional(),
  calls: z.number().optional(),
  /** What was found, or why the step failed. Contains nothing about the machine. */
  note: z.string().optional(),
  /** An error message, which may name the server. Never exported. */
  detail: z.string().optional(),
  /** Whether the server failed during a task, so the result says nothing about the model. */
  serverFailed: z.boolean().optional(),
})
export type CheckStepResult = z.output<typeof stepSchema>

/** What a check can find out about a model and its server. Each has a text in modelCheckTexts.ts. */
const findingCodes = [
  'calls_as_text',
  'no_calls',
  'guided_calls',
  'tools_dropped',
  'no_tool_template',
  'repeated_text',
  'broken_arguments',
  'argument_types',
  'inexact_edits',
  'repeated_calls',
  'announced_calls',
  'empty_answers',
  'syntax_errors',
  'code_errors',
  'unknown_tools',
  'ignored_refusal',
  'window_cut_silently',
  'window_smaller',
  'no_cache',
  'failed_requests',
] as const
export type FindingCode = (typeof findingCodes)[number]

/** How much of a prompt reaches the model. All sizes are in tokens. */
const windowSchema = z.object({
  /**
   * The context size that requests assumed before the check. Absent if neither the server nor the user specified it.
   */
  assumed: z.number().optional(),
  /** The longest prompt that arrived completely, or was accepted if its arrival is `unconfirmed`. */
  complete: z.number(),
  /** Set if neither the server's counts nor the model's memory show whether prompts arrived completely. */
  unconfirmed: z.boolean().optional(),
  /**
   * What happened to a longer prompt. `refused`: the server reported an error. `cut`: the server silently dropped its
   * start. `untested`: none was sent, because it would have taken too long or `assumed` is very large.
   */
  beyond: z.enum(['refused', 'cut', 'untested']),
  /** The limit that the server reported or that the cut showed. */
  limit: z.number().optional(),
  /** The longest prompt whose first message the model could repeat. */
  recalled: z.number().optional(),
})
export type WindowFacts = z.output<typeof windowSchema>

const speedSchema = z.object({
  /** Tokens per second. */
  prompt: z.number().optional(),
  generation: z.number().optional(),
  /** Whether the server reported the speeds. Otherwise they include network time. */
  reported: z.boolean(),
})

const factsSchema = z.object({
  /** Milliseconds until the first token, which includes loading the model. */
  firstTokenMs: z.number().optional(),
  /**
   * `both`: sometimes native, sometimes as text. `guided`: the model calls no tools by itself and works in guided
   * turns.
   */
  calls: z.enum(['native', 'text', 'both', 'none', 'guided']).optional(),
  /** Why a request's tools do not reach the model, so that the prompt describes them. Absent if they do. */
  toolsLost: z.enum(['template', 'server']).optional(),
  /** The dialect of calls that the model wrote as text. */
  dialect: z.string().optional(),
  /** Whether the model made two calls in one answer. */
  callsAtOnce: z.boolean().optional(),
  thinking: z.boolean().optional(),
  /** `refused`: the server rejects pictures. */
  vision: z.enum(['yes', 'no', 'refused']).optional(),
  cache: z
    .object({
      /**
       * Whether the second request reused the first one's prompt. `unknown`: too fast to measure, or not faster
       * although the server reports a cached share.
       */
      hit: z.enum(['yes', 'no', 'unknown']),
      /** Cached share of the prompt, 0 to 1, if the server reports it. */
      share: z.number().optional(),
    })
    .optional(),
  window: windowSchema.optional(),
  speed: speedSchema.optional(),
})
export type ModelFacts = z.output<typeof factsSchema>

/** `unfinished`: too few tasks were chosen or completed. */
export const verdicts = ['good', 'usable', 'limited', 'unsuitable', 'unfinished'] as const
export type Verdict = (typeof verdicts)[number]

const recommended = <T extends z.ZodType>(value: T) => z.object({ value, reason: z.string() })
const recommendationSchema = z.object({
  profile: recommended(z.enum(profileChoices)),
  /** Tokens. Absent if the server's own value is right. */
  contextWindow: recommended(z.number().int().positive()).optional(),
  temperature: recommended(z.number()),
  toolset: recommended(z.enum(toolsetNames)),
  /** Absent if Tizona's own choice is right. */
  calls: recommended(z.enum(toolCallMethods)).optional(),
})
export type Recommendation = z.output<typeof recommendationSchema>

/**
 * The result of a check. Contains no key. Only `endpointId`, `problem`, the details of steps and a model name that is a
 * path reveal anything about the machine.
 */
export const modelReportSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  ms: z.number(),
  endpointId: z.string(),
  model: z.string(),
  api: z.string(),
  /** Detected server software. */
  server: z.string().optional(),
  version: z.string(),
  ended: z.enum(['complete', 'cancelled', 'time_limit', 'server_failed']),
  /** Why the check ended early. */
  problem: z.string().optional(),
  steps: z.array(stepSchema),
  facts: factsSchema,
  /** How often each problem occurred. */
  findings: z.array(z.object({ code: z.enum(findingCodes), count: z.number().int().positive() })),
  verdict: z.enum(verdicts),
  recommendation: recommendationSchema,
})
export type ModelReport = z.output<typeof modelReportSchema>

export interface RunningCheck {
  endpointId: string
  model: string
  startedAt: number
  steps: CheckStepResult[]
  /** Whether the user cancelled it and its last request has not ended yet. */
  cancelling: boolean
}

/** This installation's checks. */
export interface ModelChecksState {
  running: RunningCheck | null
  /** Why the last check could not run, or why its result could not be stored. */
  problem: string | null
  /** Latest first. */
  reports: ModelReport[]
}

export const modelReportFormats = ['markdown', 'json'] as const
export type ModelReportFormat = (typeof modelReportFormats)[number]
