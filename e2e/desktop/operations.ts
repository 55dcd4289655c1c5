import type { Rectangle, WebPreferences } from 'electron'
import type { PageScripts } from './page/scripts.ts'

/** Configuration of the application's process. */
export interface HarnessConfig {
  /** Absolute path of the application's folder or entry file: Electron's first argument. */
  app: string
  args: string[]
  /** Whether to run as a packaged application: `app.isPackaged`, and no entry in the arguments. */
  packaged: boolean
  /** Folder for state outside of the application: the trash and the key of the keychain. */
  state: string
  /** Work areas of the displays, the main one first. */
  displays: Rectangle[]
  /** Backend of safeStorage. `none`: encryption is not available. */
  keychain: 'gnome_libsecret' | 'basic_text' | 'none'
}

/** A dialog that waits for the user. */
export type ShownDialog =
  | {
      id: number
      kind: 'message'
      window: number | null
      message: string
      detail: string
      buttons: string[]
      defaultId: number
      cancelId: number
    }
  | { id: number; kind: 'open'; window: number | null; title: string; properties: string[]; defaultPath: string }
  | { id: number; kind: 'save'; window: number | null; title: string; defaultPath: string }
  | { id: number; kind: 'error'; title: string; content: string }

export type DialogAnswer =
  | { response: number; checkboxChecked?: boolean }
  | { filePaths: string[] }
  | { filePath: string }
  | { canceled: true }
  | { closed: true }

/** A visible menu item. */
export interface ShownMenuItem {
  label: string
  type: string
  role?: string
  accelerator?: string
  enabled: boolean
  visible: boolean
  checked: boolean
  items: ShownMenuItem[]
}

export interface WindowState {
  id: number
  title: string
  bounds: Rectangle
  visible: boolean
  focused: boolean
  minimized: boolean
  maximized: boolean
  fullScreen: boolean
  /** Address in the application (`app://…`). */
  url: string
  webPreferences: WebPreferences
  /** How WebRTC may connect; Electron's default is `default`. */
  webRtcPolicy: string
  /** The views above the page, the topmost last. */
  views: ViewState[]
}

/** The state of a view of a window. */
export interface ViewState {
  /** Id of its contents. */
  id: number
  /** In pixels of the window. */
  bounds: Rectangle
  visible: boolean
  /** Whether it has the keyboard focus. */
  focused: boolean
  url: string
  /** Without the session. */
  webPreferences: WebPreferences
  /** Name of the session's partition. */
  partition: string
  proxy: { proxyRules?: string; proxyBypassRules?: string }
  /** Whether the session has a handler for devices. */
  hasDeviceHandler: boolean
  /** Whether the application's debugger is attached. */
  debugged: boolean
  webRtcPolicy: string
  muted: boolean
  /** Switches with which its Chromium was started. */
  switches: Record<string, string>
}

/** An external effect of the application. */
export type Effect =
  | { kind: 'openExternal'; url: string }
  | { kind: 'openPath'; path: string }
  | { kind: 'showItemInFolder'; path: string }
  | { kind: 'trashItem'; path: string }
  | { kind: 'addRecentDocument'; path: string }
  | { kind: 'clearRecentDocuments' }
  | { kind: 'notification'; id: number; title: string; body: string }
  | { kind: 'notificationClosed'; id: number }
  | { kind: 'tray'; toolTip: string }
  | { kind: 'trayRemoved' }

/** A key that the page has not handled. */
export interface PressedKey {
  key: string
  code: string
  control: boolean
  shift: boolean
  alt: boolean
  meta: boolean
}

/** Operations of the application's process: events of its pages, and actions of the user and the system. */
export type ElectronSide = {
  pageMessage(message: { window: number; url: string; text: string }): void
  /** A page requests a navigation. @returns whether it is allowed */
  navigating(navigation: {
    window: number
    url: string
    mainFrame: boolean
    redirect: boolean
    frameUrl: string
  }): boolean
  navigated(page: { window: number; url: string; inPage: boolean }): void
  loaded(page: { window: number; stage: 'dom' | 'all' }): void
  titled(page: { window: number; title: string }): void
  /** @returns whether the page may open a window */
  opening(request: { window: number; url: string }): boolean
  /** The page's `beforeunload` handler prevents closing. @returns whether to close the page anyway */
  preventingUnload(page: { window: number }): boolean
  pageGone(page: { window: number; reason: 'crashed' | 'killed' }): void
  pageClosed(page: { window: number }): void

  /** Clicks the window's close button. */
  closeWindow(window: { window: number }): void
  /** Moves, resizes, maximizes or minimizes a window like a user. */
  changeWindow(change: { window: number; bounds?: Rectangle; maximized?: boolean; minimized?: boolean }): void
  /** Clicks in a view. Positions are pixels of the view. */
  clickView(click: { view: number; x: number; y: number }): void
  /** Presses a key in a view. */
  pressInView(key: PressedKey & { view: number }): void
  /** Evaluates an expression in the page of a view. */
  evaluateInView(evaluation: { view: number; expression: string }): Promise<unknown>
  /** Crashes the process of a view's page. */
  crashView(view: { view: number }): Promise<void>
  /** Zooms a window as its menu does. Its page stays as it is. */
  zoomWindow(zoom: { window: number; factor: number }): void
  windows(_: null): WindowState[]
  menu(_: null): ShownMenuItem[]
  clickMenu(item: { path: string[] }): void
  answerDialog(answer: { id: number; answer: DialogAnswer }): void
  effects(_: null): Effect[]
  clickNotification(notification: { id: number }): void
  clickTray(_: null): void
  /** Sets whether the system's trash accepts files. */
  setTrash(trash: { works: boolean }): void
  emit(event: { name: 'activate' } | { name: 'open-file'; path: string }): void
  /** Ends the application as a system shutdown does, without prompts. */
  finish(_: null): void
}

/** Operations of the test's process: real pages for the application's windows. */
export type TestSide = {
  openWindow(window: { id: number; scripts: PageScripts; width: number; height: number }): void
  /** Resolves when the page has loaded. @throws Error with Chromium's reason */
  load(page: { window: number; url: string }): Promise<void>
  reload(page: { window: number }): Promise<void>
  /** Sends a message to the isolated world. Drops it if there is no page, like Electron. */
  deliver(message: { window: number; text: string }): void
  resize(window: { window: number; width: number; height: number }): Promise<void>
  /** Runs one of Chromium's editing commands in the page. */
  edit(command: { window: number; name: string }): Promise<void>
  /** Closes the page unless `beforeunload` prevents it. @returns whether it is closed */
  closePage(page: { window: number }): Promise<boolean>
  destroyPage(page: { window: number }): Promise<void>
  /** Sets the permissions that Chromium grants. */
  grant(permissions: { window: number; origin: string; granted: string[] }): Promise<void>
  dialogShown(dialog: ShownDialog): void
}
