import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test as base } from '../support/app.ts'
import { launchDesktop, type Desktop } from './desktop.ts'

/** The API that preload.cjs exposes. */
interface Api {
  zod: string
  fs: string
  allowed: string[]
  point: object
  invoke(channel: string, ...args: unknown[]): Promise<unknown>
  sendFunction(): string | null
  sendElement(): string | null
  twice(): string | null
  callBack(callback: (value: unknown) => unknown, value: unknown): unknown
  same<T>(value: T): T
  fail(): void
  pathOf(file: File): string
}
declare global {
  interface Window {
    api: Api
  }
}

/** A page of a small application that makes calls that Electron rejects. */
const test = base.extend<{ desktop: Desktop; shown: Page }>({
  desktop: async ({ context }, use) => {
    const home = await mkdtemp(join(tmpdir(), 'tizona-harness-'))
    const desktop = await launchDesktop({
      app: join(import.meta.dirname, 'fixtures', 'refusals'),
      args: [],
      context,
      env: { ...process.env, HOME: home },
      state: home,
    })
    await use(desktop)
    await desktop.end()
    await rm(home, { recursive: true, force: true })
  },
  shown: async ({ desktop }, use) => use(await desktop.page()),
})

test('the harness behaves as Electron', async ({ desktop, shown }) => {
  await test.step('the harness rejects the same calls as Electron', async () => {
    expect(await shown.evaluate(() => window.api.invoke('refused'))).toEqual({
      'window before ready': 'Cannot create BrowserWindow before app is ready',
      'screen before ready': "The 'screen' module can't be used before the app 'ready' event",
      'session before ready': 'Session can only be received when app is ready',
      'keychain before ready': 'safeStorage cannot be used before app is ready',
      'utility process before ready': 'utilityProcess cannot be created before app is ready.',
      'dialog before ready': 'dialog module can only be used after app is ready',
      'notification before ready': 'Cannot create Notification before app is ready',
      'folder that is not there': "Failed to set path 'userData': gone does not exist",
      'view before ready': 'Cannot create WebContentsView before app is ready',
      'partition before ready': 'Session can only be received when app is ready',
      'missing export': expect.stringContaining("does not provide an export named 'noSuchThing'"),
      'not modelled': 'The desktop harness does not model TouchBar: see e2e/desktop/README.md.',
      'privileges after ready': 'protocol.registerSchemesAsPrivileged should be called before app is ready',
      'second handler of a scheme': 'Failed to register protocol: app',
      'window without sandbox': expect.stringContaining('does not model a window with sandbox: false'),
      'window without isolation': expect.stringContaining('does not model a window with contextIsolation: false'),
      'unknown preference': 'Unknown webPreferences: contextIsolatoin',
      'preload that is not absolute': 'The preload script must be an absolute path: preload.cjs',
      'unknown role': 'Invalid menu role "zoomSideways".',
      'unknown key': 'Invalid accelerator "Hyper+Q": "Hyper" is neither a modifier nor the one key.',
      'invalid address': 'Error processing argument at index 0, conversion failure',
      'unknown scheme': "ERR_UNKNOWN_URL_SCHEME (-302) loading 'other://x/'",
      'destroyed window': 'Object has been destroyed',
      'function to a page': 'An object could not be cloned.',
      'same session of a partition': 'yes',
      'fraction of a pixel': 'Error processing argument at index 0, conversion failure',
      'command without a debugger': 'No target available',
      'unknown protocol': 'Requested protocol version is not supported',
      'second debugger': 'Debugger is already attached to the target',
      'empty session': 'Empty session id is not allowed',
      'command of the browser': "'Target.createTarget' wasn't found",
      'unknown command': "'Page.fly' wasn't found",
      'contents of a closed view': 'undefined',
      'closed view': 'Object has been destroyed',
    })
  })

  await test.step('the preload script can load four modules, and passes values as copies', async () => {
    const seen = await shown.evaluate(async () => {
      const { api } = window
      const own: { self?: unknown } = {}
      own.self = own
      const copied = api.same(own)
      const file = api.same(new File(['text'], 'a.txt'))
      let thrown: unknown = null
      try {
        api.fail()
      } catch (error) {
        thrown = error
      }
      return {
        modules: [api.zod, api.fs, ...api.allowed],
        prototype: Object.getPrototypeOf(api.point) === Object.prototype && Object.keys(api.point).join(),
        frozen: Object.isFrozen(api) && Object.isFrozen(api.point),
        refused: [api.sendFunction(), api.sendElement(), api.twice()],
        calledBack: api.callBack((value) => `got ${String(value)}`, 5),
        cycle: copied !== own && copied.self === copied,
        values: api
          .same([
            undefined,
            -0,
            Number.NaN,
            3n,
            new Date(5),
            /a/g,
            new Map([[1, new Set([2])]]),
            new Uint16Array([7, 8]),
          ])
          .map((value) => Object.prototype.toString.call(value)),
        file: file instanceof File && (await file.text()),
        path: api.pathOf(new File([''], 'made.txt')),
        thrown: thrown instanceof Error && thrown.message,
        hidden: [typeof Reflect.get(window, 'require'), typeof Reflect.get(window, 'process')],
      }
    })
    expect(seen).toEqual({
      modules: ['module not found: zod', 'module not found: node:fs', 'function', 'object', 'object', 'object'],
      prototype: 'x',
      frozen: true,
      refused: [
        'An object could not be cloned.',
        'An object could not be cloned.',
        'Cannot bind an API on top of an existing property on the window object',
      ],
      calledBack: 'got 5',
      cycle: true,
      values: ['Undefined', 'Number', 'Number', 'BigInt', 'Date', 'RegExp', 'Map', 'Uint16Array'].map(
        (name) => `[object ${name}]`,
      ),
      file: 'text',
      path: '',
      thrown: 'from the preload script',
      hidden: ['undefined', 'undefined'],
    })
  })

  await test.step('a drop contains files and folders on disk, whose paths only the preload script can read', async () => {
    const home = await mkdtemp(join(tmpdir(), 'tizona-drop-'))
    await mkdir(join(home, 'folder'))
    await writeFile(join(home, 'a.txt'), 'text')
    await shown.evaluate(() => {
      addEventListener('dragover', (event) => event.preventDefault())
      addEventListener('drop', (event) => {
        event.preventDefault()
        const items = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry()?.isDirectory ?? null)
        const files = [...(event.dataTransfer?.files ?? [])].map((file) => [
          file.name,
          window.api.pathOf(file),
          Reflect.get(file, 'path') ?? null,
        ])
        document.body.dataset['dropped'] = JSON.stringify({ items, files, x: event.clientX })
      })
    })
    await desktop.drop([join(home, 'a.txt'), join(home, 'folder')], { x: 20, y: 30 })
    await expect
      .poll(async () => JSON.parse((await shown.locator('body').getAttribute('data-dropped')) ?? 'null'))
      .toEqual({
        items: [false, true],
        files: [
          ['a.txt', join(home, 'a.txt'), null],
          ['folder', join(home, 'folder'), null],
        ],
        x: 20,
      })
    // A file that the page creates has no path.
    expect(await shown.evaluate(() => window.api.pathOf(new File([''], 'other.txt')))).toBe('')
    await rm(home, { recursive: true })
  })

  await test.step('messages, navigation and utility processes behave as in Electron', async () => {
    const echo = await shown.evaluate(() => window.api.invoke('echo', { when: new Date(7), list: [1, undefined] }))
    expect(echo).toEqual({
      value: { when: new Date(7), list: [1, undefined] },
      sender: 'app://test/index.html',
      main: true,
    })
    await expect(shown.evaluate(() => window.api.invoke('nobody'))).rejects.toThrow(
      "No handler registered for 'nobody'",
    )

    const { answer, code } = (await shown.evaluate(() => window.api.invoke('utility', { big: 3n }))) as {
      answer: object
      code: number
    } // Made by main.js.
    expect(answer).toEqual({
      data: { big: 3n },
      ports: [],
      args: ['argument'],
      type: 'utility',
      flags: ['--stack-size=1000'],
    })
    expect(code).not.toBe(0)

    // Navigation out of the application is refused, within it is not; a denied window is closed.
    await shown.evaluate(() => {
      location.href = 'https://example.invalid/'
    })
    await shown.evaluate(() => {
      window.open('about:blank')
    })
    await expect.poll(() => shown.context().pages().length).toBe(1)
    await shown.evaluate(() => {
      location.href = '/other.html'
    })
    await expect(shown.locator('body')).toHaveText('other')
    expect(await shown.evaluate(() => window.api.invoke('echo', 1))).toEqual({
      value: 1,
      sender: 'app://test/other.html',
      main: true,
    })
  })
})
