import { EventEmitter } from 'node:events'
import type { NotificationConstructorOptions } from 'electron'
import { guarded } from './guarded.ts'
import { needsReady } from './host.ts'
import { effects } from './shell.ts'

const shown = new Map<number, Notification>()
let nextId = 1

/** A system notification. The test clicks it. */
export class Notification extends EventEmitter {
  readonly #id = nextId++
  readonly #title: string
  readonly #body: string

  constructor({ title = '', body = '' }: NotificationConstructorOptions = {}) {
    super()
    needsReady('Cannot create Notification before app is ready')
    this.#title = title
    this.#body = body
    return guarded('Notification', this as Notification)
  }

  static isSupported = (): boolean => true

  show(): void {
    shown.set(this.#id, this)
    effects.push({ kind: 'notification', id: this.#id, title: this.#title, body: this.#body })
    this.emit('show', {})
  }
  close(): void {
    if (!shown.delete(this.#id)) return
    effects.push({ kind: 'notificationClosed', id: this.#id })
    this.emit('close', {})
  }
}

/** Clicks a notification like the user. The system then removes it. */
export function clickNotification(id: number): void {
  const notification = shown.get(id)
  if (notification === undefined) throw new Error(`There is no notification ${id}.`)
  shown.delete(id)
  notification.emit('click', {})
  notification.emit('close', {})
}
