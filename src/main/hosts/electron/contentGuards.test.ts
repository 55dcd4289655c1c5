import { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { App, Session, Shell } from 'electron'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { appUrl, createAppHandler, isAppUrl } from './appProtocol.ts'
import { guardContents, guardPageSession, guardPermissions, openExternally } from './contentGuards.ts'

const foreign = [
  'https://example.org/',
  'http://127.0.0.1:3000/',
  'file:///etc/passwd',
  'app://other/index.html',
  'app://tizona.evil/',
  'javascript:alert(1)',
  'data:text/html,x',
  'about:blank',
  '',
]

it.each(foreign)('"%s" is not the application', (url) => expect(isAppUrl(url)).toBe(false))
it('its own page is the application', () => expect(isAppUrl(appUrl)).toBe(true))

describe('a page of the application', () => {
  /** A new page, as Electron announces it. */
  function page(session: object = {}) {
    const app = new EventEmitter()
    // The one method that is used.
    guardContents(app as unknown as Pick<App, 'on'>)
    let openHandler: (() => { action: string }) | undefined
    const contents = Object.assign(new EventEmitter(), {
      session,
      setWebRTCIPHandlingPolicy: () => undefined,
      setWindowOpenHandler: (handler: () => { action: string }) => {
        openHandler = handler
      },
    })
    app.emit('web-contents-created', {}, contents)
    return { app, contents, open: () => openHandler?.() }
  }

  it.each(['will-navigate', 'will-frame-navigate', 'will-redirect'])('cannot leave by %s', (event) => {
    const { contents } = page()
    for (const url of foreign) {
      const preventDefault = vi.fn()
      contents.emit(event, { url, preventDefault })
      expect(preventDefault).toHaveBeenCalledOnce()
    }
    const preventDefault = vi.fn()
    contents.emit(event, { url: appUrl, preventDefault })
    expect(preventDefault).not.toHaveBeenCalled()
  })

  it('of the preview may go to pages of the web, but not to files and the application', () => {
    const session = Object.assign(new EventEmitter(), {
      setPermissionRequestHandler: vi.fn(),
      setPermissionCheckHandler: vi.fn(),
      setDevicePermissionHandler: vi.fn(),
    })
    // The members that are used.
    guardPageSession(session as unknown as Session)
    const { contents } = page(session)
    const isRefused = (url: string): boolean => {
      const preventDefault = vi.fn()
      contents.emit('will-frame-navigate', { url, preventDefault })
      return preventDefault.mock.calls.length > 0
    }
    for (const url of ['http://localhost:5173/', 'https://example.org/', 'about:blank'])
      expect(isRefused(url)).toBe(false)
    for (const url of ['file:///etc/passwd', appUrl, 'javascript:alert(1)', 'mailto:a@b.test'])
      expect(isRefused(url)).toBe(true)

    const callback = vi.fn()
    session.setPermissionRequestHandler.mock.calls[0]?.[0](null, 'clipboard-sanitized-write', callback)
    expect(callback).toHaveBeenCalledWith(false)
    expect(session.setPermissionCheckHandler.mock.calls[0]?.[0]()).toBe(false)
    expect(session.setDevicePermissionHandler.mock.calls[0]?.[0]()).toBe(false)
    const preventDefault = vi.fn()
    session.emit('will-download', { preventDefault })
    expect(preventDefault).toHaveBeenCalledOnce()
  })

  it('sends no certificate of the user', () => {
    const [preventDefault, callback] = [vi.fn(), vi.fn()]
    page().app.emit('select-client-certificate', { preventDefault }, {}, 'https://example.org/', [{}], callback)
    expect(preventDefault).toHaveBeenCalledOnce()
    expect(callback).toHaveBeenCalledWith()
  })

  it('opens no window and embeds no foreign page', () => {
    const { contents, open } = page()
    expect(open()).toEqual({ action: 'deny' })
    const preventDefault = vi.fn()
    contents.emit('will-attach-webview', { preventDefault })
    expect(preventDefault).toHaveBeenCalledOnce()
  })
})

describe('permissions', () => {
  type Guarded = Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  >
  const handlers: {
    request?: Parameters<Guarded['setPermissionRequestHandler']>[0]
    check?: Parameters<Guarded['setPermissionCheckHandler']>[0]
    device?: Parameters<Guarded['setDevicePermissionHandler']>[0]
  } = {}
  guardPermissions({
    setPermissionRequestHandler: (handler) => {
      handlers.request = handler
    },
    setPermissionCheckHandler: (handler) => {
      handlers.check = handler
    },
    setDevicePermissionHandler: (handler) => {
      handlers.device = handler
    },
  })
  const granted = (permission: 'media' | 'clipboard-sanitized-write', url: string): boolean => {
    let answer = true
    // Only the address of the page is read.
    handlers.request?.(
      { getURL: () => url } as never,
      permission,
      (yes) => {
        answer = yes
      },
      {} as never,
    )
    return answer
  }

  it.each(['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'fileSystem', 'usb'] as const)(
    '%s is denied',
    (permission) => {
      expect(granted(permission as 'media', appUrl)).toBe(false)
      expect(handlers.check?.(null, permission, appUrl, {} as never)).toBe(false)
    },
  )

  it('copying text is granted to the application only', () => {
    expect(granted('clipboard-sanitized-write', appUrl)).toBe(true)
    expect(granted('clipboard-sanitized-write', 'https://example.org/')).toBe(false)
  })

  it('no device is granted', () => expect(handlers.device?.({} as never)).toBe(false))
})

describe("an address for the user's browser", () => {
  it.each(['https://example.org/a?b#c', 'http://localhost:3000/'])('%s is opened', async (url) => {
    const openExternal = vi.fn<Shell['openExternal']>(async () => {})
    await openExternally({ openExternal }, url)
    expect(openExternal).toHaveBeenCalledExactlyOnceWith(url)
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'smb://host/share', 'vscode://x', 'not a url', ''])(
    '"%s" is not opened',
    async (url) => {
      const openExternal = vi.fn<Shell['openExternal']>(async () => {})
      await expect(openExternally({ openExternal }, url)).rejects.toThrow(TypeError)
      expect(openExternal).not.toHaveBeenCalled()
    },
  )
})

describe('app://', () => {
  let folder: string
  let handle: (request: Request) => Promise<Response>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tizona-app-'))
    await writeFile(join(folder, 'index.html'), '<title>Tizona</title>')
    await writeFile(`${folder}.txt`, 'secret')
    handle = createAppHandler(folder)
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await rm(`${folder}.txt`)
  })

  it('serves the window with the same policy as the browser host', async () => {
    const response = await handle(new Request(appUrl))
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('<title>Tizona</title>')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'; script-src 'self';")
  })

  it.each([
    'app://tizona/../BESIDE.txt',
    'app://tizona/..%2fBESIDE.txt',
    'app://tizona/%2e%2e%2fBESIDE.txt',
    'app://tizona/%00',
    'app://tizona/%',
    'app://tizona/nothing',
    'app://tizona/',
    'app://other/index.html',
  ])('%s is not found', async (url) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = await handle(new Request(url.replace('BESIDE.txt', basename(`${folder}.txt`))))
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('secret')
    logged.mockRestore()
  })

  it('answers GET only', async () => {
    expect((await handle(new Request(appUrl, { method: 'POST', body: 'x' }))).status).toBe(404)
    expect(dirname(folder)).toBe(tmpdir())
  })
})
