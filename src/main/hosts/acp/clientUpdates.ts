import { methods, type AgentContext, type SessionUpdate } from '@agentclientprotocol/sdk'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'

/** Sends an update of a session to the client. */
export function sendUpdate(peer: AgentContext, sessionId: string, update: SessionUpdate): void {
  peer.notify(methods.client.session.update, { sessionId, update }).catch((error: unknown) => {
    // The client may disconnect at any time.
    log.debug('tizona acp: an update was not sent', error)
  })
}

/** Sends the prompt files of the folder, which the client shows as slash commands. */
export async function sendCommands({ handlers }: Core, peer: AgentContext, sessionId: string): Promise<void> {
  const commands = await handlers['prompts.list']({}, new AbortController().signal)
  if (commands.length === 0) return
  const availableCommands = commands.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint && { input: { hint } }),
  }))
  sendUpdate(peer, sessionId, { sessionUpdate: 'available_commands_update', availableCommands })
}
