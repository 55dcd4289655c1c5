// The page of the Preview tab, which is the page of the browser tools. Without schemas, because the window loads it first.

export type { PreviewDisplay, PreviewInput, PreviewPoint } from './previewInput.ts'

/** A server of the folder. */
export interface PreviewServer {
  port: number
  url: string
}

/** A dialog of the page that waits for the user. */
export interface PreviewDialog {
  kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  message: string
  /** Text in the field of a prompt. */
  value: string
}

/** Files that the page requests from the user. */
export interface PreviewFileRequest {
  /** Increases with each request. */
  id: number
  multiple: boolean
}

export interface PreviewState {
  /** Without user and password. The address that was asked for if it failed. Null if no page is open. */
  url: string | null
  /** Whether a view of the window shows the page. Otherwise the window asks for pictures. */
  native: boolean
  /** Host of the page, if it is not this machine. */
  foreignHost: string | null
  title: string
  loading: boolean
  /** Whether the page does not respond. */
  stuck: boolean
  canGoBack: boolean
  canGoForward: boolean
  dialog: PreviewDialog | null
  fileRequest: PreviewFileRequest | null
  /** What happened to the page, or what it cannot have. */
  notice: string | null
  /** Address of another host that the page wanted to go to, and that the user has not approved. */
  blocked: string | null
  /** Number of console messages and requests, which change with the lists. */
  messages: number
  requests: number
}

export const noPreview: PreviewState = {
  url: null,
  native: false,
  foreignHost: null,
  title: '',
  loading: false,
  stuck: false,
  canGoBack: false,
  canGoForward: false,
  dialog: null,
  fileRequest: null,
  notice: null,
  blocked: null,
  messages: 0,
  requests: 0,
}

/** A picture of the page. */
export interface PreviewFrame {
  /** Increases with each frame. */
  number: number
  /** JPEG as base64. */
  data: string
}

/** Part of the page, in its pixels. */
export interface PreviewBox {
  x: number
  y: number
  width: number
  height: number
}

/** A control whose popup a picture of the page does not show. */
export type PreviewPopup =
  | {
      kind: 'select'
      box: PreviewBox
      label: string
      options: readonly { label: string; disabled: boolean; selected: boolean; group: string }[]
    }
  | {
      kind: 'value'
      box: PreviewBox
      label: string
      type: PreviewValueType
      value: string
      min: string
      max: string
    }

/** Types of inputs whose value is chosen in a popup. */
export const previewValueTypes = ['date', 'time', 'month', 'week', 'datetime-local', 'color'] as const
export type PreviewValueType = (typeof previewValueTypes)[number]

/** Way from one element to another. */
export const previewSteps = ['parent', 'child', 'next', 'previous'] as const
export type PreviewStep = (typeof previewSteps)[number]

/** An element that the user points at. */
export interface PreviewTarget {
  /** Short form, such as `button.primary`. */
  name: string
  box: PreviewBox
}

/** Where an element was written. */
export interface PickedSource {
  /** Workspace-relative path; null if the folder has no such file. */
  path: string | null
  line: number | null
  /** Name of the component. Empty if unknown. */
  component: string
  /** Whether the position is that of the element itself. Otherwise it is a guess. */
  sure: boolean
  /** Whether it is unknown because the script or its source map is too large. */
  tooLarge?: boolean
}

/** An element that the user picked. All of it comes from the page. */
export interface PickedElement {
  url: string
  /** Short form, such as `button.primary`. */
  element: string
  /** Parts for frames and shadow roots are joined by `>>`. */
  selector: string
  role: string
  name: string
  html: string
  styles: Readonly<Record<string, string>>
  box: PreviewBox
  source: PickedSource | null
}

/** Returns the label of a picked element, e.g. `button "Save"`. */
export const pickedLabel = ({ role, name, element }: Pick<PickedElement, 'role' | 'name' | 'element'>): string =>
  name === '' ? element : `${role} "${name}"`

/** Describes a picked element for a model. */
export function describePicked({ url, selector, role, name, html, styles, box, source }: PickedElement): string {
  const { path, line, component, sure } = source ?? { path: null, line: null, component: '', sure: true }
  const position = path === null ? '' : `${path}${line === null ? '' : `:${line}`}`
  const place = [position, component && `component ${component}`].filter(Boolean).join(', ')
  const { x, y, width, height } = box
  return [
    `Page: ${url}`,
    `Selector: ${selector}`,
    ...(role === '' ? [] : [`Role: ${role}${name === '' ? '' : ` "${name}"`}`]),
    ...(place === '' ? [] : [`Source: ${place}${sure ? '' : ' (probably)'}`]),
    ...(source?.tooLarge === true ? ['The source map of its script is too large to find its line.'] : []),
    `Box: ${[x, y].map(Math.round).join(', ')}, ${[width, height].map(Math.round).join(' x ')} pixels`,
    `Styles: ${Object.entries(styles)
      .map(([property, value]) => `${property}: ${value}`)
      .join('; ')}`,
    `HTML:\n${html}`,
  ].join('\n')
}
