import type { Rectangle } from 'electron'
import type { PageScripts } from './page/scripts.ts'

/** What the application's process needs to know before it begins. */
export interface HarnessConfig {
  /** Absolute path of the application's folder or entry file, as it is given to Electron. */
  app: string
  args: string[]
  /** Whether it runs as a packaged application: no entry among its arguments, `app.isPackaged`. */
  packaged: boolean
  /** Folder for what Electron keeps outside of the application: the trash, the keychain's key, instance locks. */
  state: string
  /** Work areas of the displays, the main one first. */
  displays: Rectangle[]
  /** What safeStorage finds. `none`: there is no encryption at all. */
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

/** A menu item as the user sees it. */
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
  /** As the application knows it (`app://…`). */
  url: string
}

/** What the application did to the world outside of it, in order. */
export type Effect =
  | { kind: 'openExternal'; url: string }
  | { kind: 'openPath'; path: string }
  | { kind: 'showItemInFolder'; path: string }
  | { kind: 'trashItem'; path: string }
  | { kind: 'addRecentDocument'; path: string }
  | { kind: 'clearRecentDocuments' }

/** A key that the page left alone. */
export interface PressedKey {
  key: string
  code: string
  control: boolean
  shift: boolean
  alt: boolean
  meta: boolean
}

/** What the application's process offers: news of its pages, and what a user or the system does. */
export type ElectronSide = {
  pageMessage(message: { window: number; url: string; text: string }): void
  /** A page wants to leave for another address. @returns whether it may */
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
  /** The page asks its user to stay. @returns whether it is left all the same */
  preventingUnload(page: { window: number }): boolean
  pageGone(page: { window: number; reason: 'crashed' | 'killed' }): void
  pageClosed(page: { window: number }): void

  /** As the window's close button. */
  closeWindow(window: { window: number }): void
  /** As a user who moves, sizes or maximises it. */
  changeWindow(change: { window: number; bounds?: Rectangle; maximized?: boolean; minimized?: boolean }): void
  windows(_: null): WindowState[]
  menu(_: null): ShownMenuItem[]
  clickMenu(item: { path: string[] }): void
  answerDialog(answer: { id: number; answer: DialogAnswer }): void
  effects(_: null): Effect[]
  /** Whether the system's trash takes anything from now on. */
  setTrash(trash: { works: boolean }): void
  emit(event: { name: 'activate' } | { name: 'open-file'; path: string }): void
  /** Ends as a system that shuts down: no window is asked. */
  finish(_: null): void
}

/** What the test's process offers: real pages for the application's windows. */
export type TestSide = {
  openWindow(window: { id: number; scripts: PageScripts; width: number; height: number }): void
  /** @returns once the page has loaded. @throws Error with Chromium's reason */
  load(page: { window: number; url: string }): Promise<void>
  reload(page: { window: number }): Promise<void>
  /** Runs the isolated world's receiving function. Dropped where there is no page, as Electron does. */
  deliver(message: { window: number; text: string }): void
  resize(window: { window: number; width: number; height: number }): Promise<void>
  /** What the page does by itself when it is told to: Chromium's editing commands. */
  edit(command: { window: number; name: string }): Promise<void>
  /** Runs `beforeunload`. @returns whether the page is closed now */
  closePage(page: { window: number }): Promise<boolean>
  destroyPage(page: { window: number }): Promise<void>
  /** Chromium's answer to requests for permissions from now on. */
  grant(permissions: { window: number; origin: string; granted: string[] }): Promise<void>
  dialogShown(dialog: ShownDialog): void
}
