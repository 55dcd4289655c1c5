import { client, methods, RequestError, type Stream } from '@agentclientprotocol/sdk'
import { ToolError } from '../../shared/errors.ts'
import type { AgentRequests } from './agentTypes.ts'

/**
 * Agents whose library loses the code of an error, so that they cannot tell a missing file from an unreadable one and
 * never create a file. They get an empty text for it.
 */
const withoutErrorCodes = ['gemini-cli']

/**
 * Connects to an agent and passes its requests to the running turn. Permissions that no turn can give are refused.
 * @param current handles requests; undefined outside a turn
 * @param name what the agent calls itself, once it is known
 */
export function serveAgent(
  stream: Stream,
  { current, name }: { current(): AgentRequests | undefined; name(): string | undefined },
) {
  /** Requests outside a turn are refused, also those after its cancellation. */
  const during = (): AgentRequests => {
    const requests = current()
    if (!requests) throw RequestError.invalidRequest(undefined, 'No turn is running.')
    return requests
  }
  return client({ name: 'tizona' })
    .onNotification(methods.client.session.update, ({ params }) => current()?.onUpdate(params.update))
    .onRequest(methods.client.fs.readTextFile, ({ params }) =>
      answered(async () => ({
        content: await during()
          .readFile(params)
          .catch((error: unknown) => {
            if (isMissingFile(error) && withoutErrorCodes.includes(name() ?? '')) return ''
            throw error
          }),
      })),
    )
    .onRequest(methods.client.fs.writeTextFile, ({ params }) =>
      answered(async () => {
        await during().writeFile(params)
        return {}
      }),
    )
    .onRequest(
      methods.client.session.requestPermission,
      ({ params }) => current()?.askPermission(params) ?? { outcome: { outcome: 'cancelled' as const } },
    )
    .onRequest(methods.client.terminal.create, ({ params }) =>
      answered(async () => ({ terminalId: await during().createTerminal(params) })),
    )
    .onRequest(methods.client.terminal.output, ({ params }) =>
      answered(async () => during().terminalOutput(params.terminalId)),
    )
    .onRequest(methods.client.terminal.waitForExit, ({ params }) =>
      answered(() => during().waitForExit(params.terminalId)),
    )
    .onRequest(methods.client.terminal.kill, ({ params }) =>
      answered(async () => {
        await during().killTerminal(params.terminalId)
        return {}
      }),
    )
    .onRequest(methods.client.terminal.release, ({ params }) =>
      answered(async () => {
        await current()?.releaseTerminal(params.terminalId)
        return {}
      }),
    )
    .connect(stream)
}

/** Sends an expected failure to the agent with its next step. */
async function answered<T>(handle: () => Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const code = isMissingFile(error) ? -32002 : -32603
    throw new RequestError(code, `${error.message} ${error.next}`.trim(), { code: error.code })
  }
}

function isMissingFile(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'not_found'
}
