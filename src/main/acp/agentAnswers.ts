import { z } from 'zod'

// The answers of an agent to requests. The SDK checks only what an agent requests and reports.

/** Maximum number of logins that a message names. */
const maxLogins = 5

/** A field that the agent may leave out. An invalid value counts as absent, because nothing depends on it. */
const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined)

export const initializeAnswer = z.object({
  /** Versions are numbers, but another version may have another form. */
  protocolVersion: z.union([z.number(), z.string().max(100)]),
  agentInfo: lenient(z.object({ name: z.string() })),
  agentCapabilities: z
    .object({
      loadSession: lenient(z.boolean()),
      promptCapabilities: lenient(z.object({ image: lenient(z.boolean()), embeddedContext: lenient(z.boolean()) })),
      sessionCapabilities: lenient(z.object({ resume: lenient(z.looseObject({})) })),
    })
    .catch({}),
  authMethods: lenient(z.array(z.object({ name: z.string() })).transform((methods) => methods.slice(0, maxLogins))),
})

/** What an agent supports. */
export type AgentCapabilities = z.output<typeof initializeAnswer>['agentCapabilities']

/** The id is stored with the conversation. */
export const newSessionAnswer = z.object({ sessionId: z.string().min(1).max(1000) })

/** `stopReason`: also reasons of later versions of the protocol. */
export const promptAnswer = z.object({ stopReason: z.string() })

/** @param method of the request. @throws Error that names the invalid field */
export function checkAnswer<T>(schema: z.ZodType<T>, method: string, answer: unknown): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const problem = [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')
  throw new Error(`Its answer to "${method}" is invalid (${problem}).`)
}
