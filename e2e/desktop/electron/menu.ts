import type { MenuItemConstructorOptions } from 'electron'
import type { ShownMenuItem } from '../operations.ts'
import { parseAccelerator } from './accelerator.ts'
import { BrowserWindow } from './browserWindow.ts'
import { quit } from './lifecycle.ts'
import { onKey } from './menuKeys.ts'
import { matches } from './accelerator.ts'
import { roles } from './menuRoles.ts'

const types = ['normal', 'separator', 'submenu', 'checkbox', 'radio', 'header', 'palette']

/** A menu item, validated like in Electron. */
export class MenuItem {
  readonly label: string
  readonly type: string
  readonly role: string | undefined
  readonly id: string | undefined
  readonly accelerator: string | undefined
  readonly registerAccelerator: boolean
  readonly submenu: Menu | null
  enabled: boolean
  visible: boolean
  checked: boolean
  readonly #click: MenuItemConstructorOptions['click']

  constructor(options: MenuItemConstructorOptions) {
    const role = options.role?.toLowerCase()
    const preset = role === undefined ? undefined : roles[role]
    if (role !== undefined && preset === undefined) throw new TypeError(`Invalid menu role "${options.role}".`)
    const given = options.submenu ?? preset?.submenu?.map((name) => ({ role: name }) as MenuItemConstructorOptions)
    this.type = options.type ?? (given === undefined ? 'normal' : 'submenu')
    if (!types.includes(this.type)) throw new TypeError(`Unknown menu item type: ${this.type}`)
    if (this.type === 'submenu' && given === undefined) throw new TypeError('Invalid submenu')
    this.label = options.label ?? preset?.label ?? ''
    if (this.label === '' && this.type !== 'separator')
      throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type')
    this.role = role
    this.id = options.id
    this.accelerator = options.accelerator ?? preset?.accelerator
    if (this.accelerator !== undefined) parseAccelerator(this.accelerator)
    this.registerAccelerator = options.registerAccelerator ?? true
    this.enabled = options.enabled ?? true
    this.visible = options.visible ?? true
    this.checked = options.checked ?? false
    this.#click = options.click
    this.submenu =
      given === undefined ? null : Array.isArray(given) ? Menu.buildFromTemplate(given) : (given as unknown as Menu)
  }

  click(): void {
    if (!this.enabled) throw new Error(`The menu item "${this.label}" is disabled.`)
    if (this.type === 'checkbox') this.checked = !this.checked
    const window = BrowserWindow.getFocusedWindow()
    const preset = this.role === undefined ? undefined : roles[this.role]
    if (preset !== undefined) {
      if (this.role === 'quit') quit()
      else preset.run?.(window)
      return
    }
    // The types of the harness's classes differ from Electron's.
    this.#click?.(this as never, window as never, {} as never)
  }

  /** Whether the menu handles the accelerator of this item, which Chromium may handle itself. */
  takes(key: Parameters<typeof matches>[1]): boolean {
    const native = this.role !== undefined && roles[this.role]?.native === true
    return (
      this.accelerator !== undefined &&
      this.registerAccelerator &&
      this.enabled &&
      !native &&
      matches(parseAccelerator(this.accelerator), key)
    )
  }

  shown(): ShownMenuItem {
    const { label, type, role, accelerator, enabled, visible, checked } = this
    return {
      label: label.replace(/&(.)/g, '$1'),
      type,
      role,
      accelerator,
      enabled,
      visible,
      checked,
      items: this.submenu?.items.map((item) => item.shown()) ?? [],
    }
  }
}

let applicationMenu: Menu | null = null

/** A menu with its items. */
export class Menu {
  readonly items: MenuItem[] = []

  static buildFromTemplate(template: MenuItemConstructorOptions[]): Menu {
    if (!Array.isArray(template)) throw new TypeError('Invalid template for Menu: Menu template must be an array')
    const menu = new Menu()
    for (const options of template) {
      if (typeof options !== 'object' || options === null)
        throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type')
      menu.append(new MenuItem(options))
    }
    return menu
  }
  static setApplicationMenu(menu: Menu | null): void {
    if (menu !== null && !(menu instanceof Menu)) throw new TypeError('Invalid menu')
    applicationMenu = menu
  }
  static getApplicationMenu = (): Menu | null => applicationMenu

  append(item: MenuItem): void {
    this.items.push(item)
  }
  insert(position: number, item: MenuItem): void {
    this.items.splice(position, 0, item)
  }
  getMenuItemById(id: string): MenuItem | null {
    return this.all().find((item) => item.id === id) ?? null
  }
  /** Returns all items, including those of submenus. */
  all(): MenuItem[] {
    return this.items.flatMap((item) => [item, ...(item.submenu?.all() ?? [])])
  }
}

/** Returns the visible menu bar of the application. */
export const shownMenu = (): ShownMenuItem[] => applicationMenu?.items.map((item) => item.shown()) ?? []

/** Clicks an item. @param path labels from the menu bar down, without `&` */
export function clickMenu(path: readonly string[]): void {
  let items = applicationMenu?.items ?? []
  let found: MenuItem | undefined
  for (const label of path) {
    found = items.find((item) => item.visible && item.shown().label === label)
    if (found === undefined)
      throw new Error(
        `The menu has no "${path.join(' > ')}"; at "${label}" it has: ${items.map((item) => item.shown().label).join(', ')}.`,
      )
    items = found.submenu?.items ?? []
  }
  found?.click()
}

onKey((key) =>
  applicationMenu
    ?.all()
    .find((item) => item.takes(key))
    ?.click(),
)
