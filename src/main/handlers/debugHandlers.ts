import type { RequestName } from '../../shared/bridge/protocol.ts'
import type { DebugSession } from '../debug/debugSession.ts'
import type { DebugSessions } from '../debug/debugSessions.ts'
import type { DebugTargets } from '../debug/debugTargets.ts'
import { launchJsonSchema } from '../debug/launchSchema.ts'
import type { Handlers } from '../core/coreContract.ts'

/** The debugger of the open folder. */
export interface DebugServices {
  sessions: DebugSessions
  targets: DebugTargets
}

/**
 * Handles the window's requests about debugging.
 * @param current returns the debugger of the open folder; throws ToolError no_workspace
 */
export function createDebugHandlers(
  current: () => DebugServices,
): Pick<Handlers, Extract<RequestName, `debug.${string}`>> {
  const session = (id: string) => current().sessions.session(id)
  return {
    'debug.state': () => current().sessions.state(),
    'debug.debuggers': () => current().sessions.debuggers(),
    'debug.choices': () => current().targets.choices(),
    'debug.launchSchema': () => launchJsonSchema(),
    'debug.inputs': ({ name }) => current().targets.inputs(name),
    async 'debug.start'({ target }, signal) {
      const { sessions, targets } = current()
      const started: DebugSession[] = []
      for (const options of await targets.resolve(target, 'user', signal))
        try {
          started.push(await sessions.start(options, signal))
        } catch (error) {
          // The other sessions of a compound that stops as one.
          if (options.stopsWith !== undefined) await Promise.all(started.map((session) => session.stop()))
          throw error
        }
      return { sessionIds: started.map((session) => session.info().id) }
    },
    async 'debug.control'({ sessionId, action, threadId }) {
      const controlled = session(sessionId)
      // Whoever steps owns the session. The agent's next call reports it.
      if (controlled.info().owner === 'agent') controlled.setOwner('user')
      if (action === 'stop') await current().sessions.stop(sessionId)
      else await controlled.control(action, threadId)
    },
    'debug.forget': ({ sessionId }) => current().sessions.forget(sessionId),
    'debug.setOwner': ({ sessionId, owner }) => session(sessionId).setOwner(owner),
    'debug.setLineBreakpoints': ({ path, breakpoints }) => current().sessions.setLineBreakpoints(path, breakpoints),
    'debug.setFunctionBreakpoints': ({ breakpoints }) => current().sessions.setFunctionBreakpoints(breakpoints),
    'debug.setExceptionFilters': ({ debugger: id, filters }) => current().sessions.setExceptionFilters(id, filters),
    'debug.addDataBreakpoint': ({ sessionId, reference, name }) =>
      session(sessionId).addDataBreakpoint(reference, name),
    'debug.removeDataBreakpoints': ({ sessionId }) => session(sessionId).removeDataBreakpoints(),
    'debug.stack': ({ sessionId, threadId, start, count }) => session(sessionId).stack(threadId, start, count),
    'debug.scopes': ({ sessionId, frameId }) => session(sessionId).scopes(frameId),
    'debug.variables': ({ sessionId, ...query }, signal) => session(sessionId).variables(query, signal),
    'debug.setVariable': ({ sessionId, reference, name, value }) =>
      session(sessionId).setVariable(reference, name, value),
    'debug.evaluate': ({ sessionId, ...query }, signal) => session(sessionId).evaluate(query, signal),
    async 'debug.completions'({ sessionId, frameId, text, column }) {
      const items = await session(sessionId).completions(frameId, text, column)
      return items.map(({ label, text: inserted, start, length }) => ({
        label,
        text: inserted ?? label,
        ...(start !== undefined && { start }),
        ...(length !== undefined && { length }),
      }))
    },
    'debug.exceptionInfo': ({ sessionId, threadId }) => session(sessionId).exceptionInfo(threadId),
    async 'debug.source'({ sessionId, sourceReference }) {
      return { text: await session(sessionId).source(sourceReference) }
    },
    'debug.output': ({ sessionId, from }) => current().sessions.output(sessionId, from),
  }
}
