import type { GateCall } from './gate.ts'

/**
 * Tracks the turns of conversations that read content from the web or from MCP servers, in results of tools or in
 * messages (agent/outsideMessages.ts). Such content may contain instructions for the model. Until the turn ends, each
 * command with network access and each request to a new host needs another approval, even if the mode or a grant would
 * allow it. Yolo mode is exempt: it requires approval only for protected places.
 */
export interface OutsideContent {
  /**
   * Records that a call or message contains outside content. @param source a noun phrase, such as "the web page …"
   */
  read(conversationId: string, source: string): void
  /** Returns why a call needs another approval; undefined if it does not. */
  reason(call: GateCall): string | undefined
  /** Records that the user approved a call, which then needs no further approval in this turn. */
  approved(call: GateCall): void
  /** Forgets a turn that ended. */
  turnEnded(conversationId: string): void
}

interface Turn {
  /** Source of the first content. */
  source: string
  /** Targets that the user approved, and hosts that the turn had contacted before it read the first content. */
  approved: Set<string>
}

export function createOutsideContent(): OutsideContent {
  const turns = new Map<string, Turn>()
  /** Hosts contacted by turns that have not read any outside content. */
  const contacted = new Map<string, Set<string>>()

  return {
    read(conversationId, source) {
      if (turns.has(conversationId)) return
      turns.set(conversationId, { source, approved: contacted.get(conversationId) ?? new Set() })
    },
    reason(call) {
      const turn = call.conversationId === undefined ? undefined : turns.get(call.conversationId)
      const target = targetOf(call)
      if (turn === undefined || target === undefined || call.mode === 'yolo' || turn.approved.has(target))
        return undefined
      return call.command === undefined
        ? `It contacts ${target}, and this turn has read ${turn.source}, which may contain instructions for the model. Check that it is what you asked for.`
        : `It runs a command with network access, and this turn has read ${turn.source}, which may contain instructions for the model. Check that it is what you asked for.`
    },
    approved(call) {
      const { conversationId } = call
      const target = targetOf(call)
      if (conversationId === undefined || target === undefined) return
      const turn = turns.get(conversationId)
      if (turn) turn.approved.add(target)
      // A command needs approval each time, because the content may have changed what it does.
      else if (call.command === undefined)
        contacted.set(conversationId, (contacted.get(conversationId) ?? new Set()).add(target))
    },
    turnEnded(conversationId) {
      turns.delete(conversationId)
      contacted.delete(conversationId)
    },
  }
}

/** Returns the command line of a command with network, or the origin of a web request; undefined for other calls. */
function targetOf({ command, sandbox, scope }: GateCall): string | undefined {
  if (command !== undefined) return sandbox?.sandboxed && !sandbox.network ? undefined : command
  return scope?.split(' ').at(-1)
}
