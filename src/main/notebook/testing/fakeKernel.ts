import { EventEmitter } from 'node:events'
import type { CellProgress } from '../../../shared/notebook/kernels.ts'
import type { JupyterServer } from '../jupyterServer.ts'
import { connectKernel, type KernelSession } from '../kernelSession.ts'

interface Sent {
  header: { msg_id: string; msg_type: string }
  content: Record<string, unknown>
}

/** A kernel session whose kernel is played by the test. */
export interface FakeKernel {
  session: KernelSession
  /** Codes that the kernel got. */
  codes(): string[]
  /** Requests to Jupyter, as method and path. */
  requests: string[]
  progress: Omit<CellProgress, 'path'>[]
  ended: string[]
  /** Sends a message about the last code. @param content may be JSON text */
  send(type: string, content: object | string): void
  /** Ends the run of the last code. */
  reply(status?: 'ok' | 'error'): void
}

/** Connects a session to a kernel without Jupyter. @param request answers requests to Jupyter */
export async function fakeKernel(
  request: (resource: string) => Promise<unknown> = async () => null,
): Promise<FakeKernel> {
  const sent: Sent[] = []
  const socket = Object.assign(new EventEmitter(), {
    send: (text: string) => void sent.push(JSON.parse(text) as Sent),
    terminate: () => undefined,
  })
  const [requests, progress, ended]: [string[], FakeKernel['progress'], string[]] = [[], [], []]
  const server: JupyterServer = {
    request(method, resource) {
      requests.push(`${method} ${resource}`)
      return request(resource)
    },
    channels() {
      queueMicrotask(() => socket.emit('open'))
      return socket as never
    },
    sandbox: { sandboxed: true, network: false },
    exited: new Promise(() => undefined),
    printed: () => '',
    end: async () => undefined,
  }
  const session = await connectKernel(server, 'k', {
    onChanged: () => undefined,
    onOutput: (key, messages) => progress.push({ key, messages }),
    onEnded: (reason) => ended.push(reason),
  })
  const runs = () => sent.filter(({ header }) => header.msg_type === 'execute_request')
  const send = (type: string, content: object | string): void => {
    const parent = runs().at(-1)?.header
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const [header, parentHeader] = [JSON.stringify({ msg_type: type }), JSON.stringify(parent)]
    socket.emit('message', Buffer.from(`{"header":${header},"parent_header":${parentHeader},"content":${text}}`))
  }
  return {
    session,
    codes: () => runs().map(({ content }) => String(content['code'])),
    requests,
    progress,
    ended,
    send,
    reply(status = 'ok') {
      send('execute_reply', { status, execution_count: runs().length })
      send('status', { execution_state: 'idle' })
    },
  }
}
