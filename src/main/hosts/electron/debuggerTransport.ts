import type { Debugger } from 'electron'
import type { ConnectOverCDPTransport } from 'playwright-core'

/** A message of the DevTools protocol from Playwright. */
interface Command {
  id: number
  method: string
  params?: Record<string, unknown>
  sessionId?: string
}

interface TargetInfo {
  targetId: string
  [key: string]: unknown
}

export interface DebuggerTransport {
  readonly transport: ConnectOverCDPTransport
  /** Sends an event of the page as the browser would. */
  emit(method: string, params: object): void
  /** Ends the connection. */
  close(reason: string): void
}

type MessageListener = (event: unknown, method: string, params: object, sessionId: string) => void

interface DebuggerTransportOptions {
  debugger: Pick<Debugger, 'sendCommand'> & {
    on(event: 'message', listener: MessageListener): unknown
    off(event: 'message', listener: MessageListener): unknown
  }
  /** Version and user agent of the browser. */
  product: string
  userAgent: string
  /** Called when Playwright closes the page or the connection. */
  onClose(): void
}

/** Session of Playwright for the page. The debugger has one for all. */
const mainSession = 'page'
const contextId = 'view'

/**
 * Connects Playwright to the debugger of one page, which has no browser around it: this transport answers what concerns
 * the browser and its targets. Sessions that Playwright opens for the same page share that of the debugger. The debugger
 * must be attached.
 */
export function createDebuggerTransport(options: DebuggerTransportOptions): DebuggerTransport {
  const { debugger: page, product, userAgent, onClose } = options
  /** Further sessions of the page, which see its events too, but not those about targets below it. */
  const others = new Set<string>()
  const browserSessions = new Set<string>()
  let sessions = 0
  let isClosed = false

  const target = async (): Promise<TargetInfo> => {
    const { targetInfo } = (await page.sendCommand('Target.getTargetInfo')) as { targetInfo: TargetInfo }
    return { ...targetInfo, type: 'page', attached: true, browserContextId: contextId }
  }

  const transport: ConnectOverCDPTransport = {
    send(message) {
      // Playwright sends no other messages.
      void answer(message as Command)
    },
    close: onClose,
  }
  const deliver = (message: object): void => {
    if (!isClosed) transport.onmessage?.(message)
  }

  async function answer({ id, method, params, sessionId }: Command): Promise<void> {
    const session = sessionId === undefined ? {} : { sessionId }
    try {
      deliver({ id, result: (await run(method, params, sessionId)) ?? {}, ...session })
    } catch (error) {
      deliver({ id, error: { message: error instanceof Error ? error.message : String(error) }, ...session })
    }
  }

  async function run(method: string, params: Command['params'], sessionId: string | undefined): Promise<unknown> {
    if (sessionId === undefined || browserSessions.has(sessionId)) return runInBrowser(method, params)
    if (method.startsWith('Browser.')) throw new Error(`${method} is not available in a view.`)
    if (sessionId === mainSession || others.has(sessionId)) return page.sendCommand(method, params)
    return page.sendCommand(method, params, sessionId)
  }

  async function runInBrowser(method: string, params: Command['params']): Promise<unknown> {
    switch (method) {
      case 'Browser.getVersion':
        return { protocolVersion: '1.3', product, revision: '', userAgent, jsVersion: '' }
      case 'Target.setAutoAttach':
        deliver({
          method: 'Target.attachedToTarget',
          params: { sessionId: mainSession, targetInfo: await target(), waitingForDebugger: false },
        })
        return {}
      case 'Target.getTargetInfo':
        return { targetInfo: await target() }
      case 'Target.attachToBrowserTarget':
        return { sessionId: newSession(browserSessions) }
      case 'Target.attachToTarget':
        if (params?.['targetId'] !== (await target()).targetId) throw new Error('A view has one page only.')
        return { sessionId: newSession(others) }
      case 'Target.detachFromTarget':
        others.delete(String(params?.['sessionId']))
        browserSessions.delete(String(params?.['sessionId']))
        return {}
      case 'Target.closeTarget':
      case 'Browser.close':
        onClose()
        return {}
      // Electron's session refuses downloads.
      case 'Browser.setDownloadBehavior':
      case 'Browser.cancelDownload':
        return {}
      default:
        throw new Error(`${method} is not available in a view.`)
    }
  }

  function newSession(group: Set<string>): string {
    const id = `${mainSession}-${++sessions}`
    group.add(id)
    return id
  }

  function emit(method: string, params: object): void {
    // Electron answers it at once, so nobody can.
    if (method === 'Page.javascriptDialogOpening' && 'type' in params && params.type === 'beforeunload') return
    deliver({ method, params, sessionId: mainSession })
    if (!method.startsWith('Target.')) for (const sessionId of others) deliver({ method, params, sessionId })
  }

  function onMessage(_event: unknown, method: string, params: object, sessionId: string): void {
    if (sessionId !== '') return deliver({ method, params, sessionId })
    // The browser reports downloads, but only the page's debugger does here.
    if (method === 'Page.downloadWillBegin') deliver({ method: 'Browser.downloadWillBegin', params })
    emit(method, params)
  }
  page.on('message', onMessage)

  return {
    transport,
    emit,
    close(reason) {
      if (isClosed) return
      isClosed = true
      page.off('message', onMessage)
      transport.onclose?.(reason)
    },
  }
}
