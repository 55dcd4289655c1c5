import { relativeIn, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { isAbsolute, join, normalize, sep } from 'node:path'
import type { ElementHandle, Frame, Page } from 'playwright-core'
import { z } from 'zod'
import { once } from '../../shared/async/once.ts'
import { ToolError } from '../../shared/errors.ts'
import type {
  PickedElement,
  PickedSource,
  PreviewBox,
  PreviewPoint,
  PreviewStep,
  PreviewTarget,
} from '../../shared/preview/preview.ts'
import { describeElement, describeLimits, type ElementDescription, type ElementSource } from './describeElement.ts'
import { elementAt, focusedElement, offsetOf, type FoundElement } from './elementAt.ts'
import { pageBox, pageLine, pageText } from './pageValues.ts'
import { mapAddress, originalPosition } from './sourceMap.ts'

/** Lets a person point at elements of a page. */
export interface ElementPicker {
  /** Points at the element at a point, or at one beside the last. Null if there is none. */
  target(page: Page, at: PreviewPoint | PreviewStep): Promise<PreviewTarget | null>
  /** Describes the element that was pointed at. Null if it is gone. */
  pick(page: Page): Promise<PickedElement | null>
}

interface PickerDeps {
  workspace: WorkspaceRoots
  /** Whether a file of the folder exists. */
  exists(path: string): Promise<boolean>
}

const maxUrl = 2000
/** Maximum bytes of a script or of its source map. */
const maxScript = 5_000_000
const tooLarge = Symbol('too large')
const stepMs = 1000

export function createElementPicker(deps: PickerDeps): ElementPicker {
  let pointed: FoundElement | null = null

  return {
    async target(page, at) {
      pointed = typeof at === 'string' ? await stepFrom(page, pointed, at) : await elementAt(page, at)
      if (!pointed) return null
      const limits = { ...describeLimits, brief: true }
      const target = targetSchema().safeParse(await pointed.element.evaluate(describeElement, limits)).data
      return target ? { name: target.name, box: moved(target.box, pointed.offset) } : null
    },
    async pick(page) {
      const found = pointed
      if (!found) return null
      const described = await describe(found.element)
      const box = moved(described.box, found.offset)
      const [frames, { role, name }, source] = await Promise.all([
        frameSelectors(found.frame),
        ariaOf(found.frame, described),
        described.source ? locate(described.source, found.frame, deps) : null,
      ])
      return {
        url: pageLine(maxUrl).parse(page.url()),
        element: described.name,
        selector: [...frames, ...described.selectors].join(' >> '),
        role,
        name,
        html: described.html,
        styles: described.styles,
        box,
        source,
      }
    },
  }
}

const targetSchema = once(() => z.object({ name: pageLine(80), box: pageBox }))

const descriptionSchema = once(() =>
  z.object({
    ...targetSchema().shape,
    selectors: z.array(pageLine(describeLimits.selector)).min(1).max(20),
    html: pageText(describeLimits.html + 1),
    styles: z.record(z.string().regex(/^[a-z-]{1,40}$/), pageLine(120)),
    source: z
      .object({
        kind: z.enum(['file', 'stack']),
        text: pageText(describeLimits.stack),
        line: z.number().int().min(1).max(10_000_000).optional().catch(undefined),
        component: pageLine(200).catch(''),
        exact: z.boolean(),
      })
      .nullable()
      .catch(null),
  }),
)

/** Describes an element. @throws ToolError no_match if the page returns something else */
async function describe(element: ElementHandle): Promise<ElementDescription> {
  const { data } = descriptionSchema().safeParse(await element.evaluate(describeElement, describeLimits))
  if (data) return data
  throw new ToolError('no_match', 'The page does not allow Tizona to read this element.', 'Pick another element.')
}

const moved = (box: PreviewBox, { x, y }: PreviewPoint): PreviewBox => ({ ...box, x: box.x + x, y: box.y + y })

async function stepFrom(page: Page, from: FoundElement | null, step: PreviewStep): Promise<FoundElement | null> {
  if (!from) return focusedElement(page)
  const next = (await from.element.evaluateHandle(neighbour, step)).asElement()
  if (next) return withFrame(next, from)
  const frame = step === 'child' ? await from.element.contentFrame() : null
  if (frame) {
    const body = await frame.$('body')
    return body && { element: body, frame, offset: await offsetOf(from) }
  }
  const parentFrame = step === 'parent' ? from.frame.parentFrame() : null
  if (!parentFrame) return from
  return { element: await from.frame.frameElement(), frame: parentFrame, offset: await frameOffset(parentFrame) }
}

const withFrame = (element: ElementHandle, { frame, offset }: FoundElement): FoundElement => ({
  element,
  frame,
  offset,
})

/** Returns the position of a frame in the page. */
async function frameOffset(frame: Frame): Promise<PreviewPoint> {
  const parent = frame.parentFrame()
  if (!parent) return { x: 0, y: 0 }
  return offsetOf({ element: await frame.frameElement(), frame: parent, offset: await frameOffset(parent) })
}

interface PageNode {
  parentElement: PageNode | null
  firstElementChild: PageNode | null
  nextElementSibling: PageNode | null
  previousElementSibling: PageNode | null
  shadowRoot: { firstElementChild: PageNode | null } | null
  getRootNode(): { host?: PageNode }
}

/** Runs in the page. */
function neighbour(node: unknown, step: PreviewStep): PageNode | null {
  // The caller passes an element.
  const element = node as PageNode
  if (step === 'child') return element.shadowRoot?.firstElementChild ?? element.firstElementChild
  if (step === 'next') return element.nextElementSibling
  if (step === 'previous') return element.previousElementSibling
  return element.parentElement ?? element.getRootNode().host ?? null
}

/** Returns the selectors of the frames around a frame, outermost first. */
async function frameSelectors(frame: Frame): Promise<string[]> {
  const found: string[] = []
  for (let each = frame; each.parentFrame() !== null;) {
    const parent = each.parentFrame()
    const element = await each.frameElement()
    const { selectors } = await describe(element)
    found.unshift(`${selectors.join(' >> ')} (frame)`)
    if (!parent) break
    each = parent
  }
  return found
}

/** Returns the role and the accessible name of an element. */
async function ariaOf(frame: Frame, { selectors }: ElementDescription): Promise<{ role: string; name: string }> {
  const none = { role: '', name: '' }
  try {
    const text = await frame.locator(selectors.join(' >> ')).first().ariaSnapshot({ timeout: stepMs })
    const [, role = '', quoted] = /^- ([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?/.exec(text) ?? []
    return { role: role.slice(0, 40), name: quoted === undefined ? '' : pageLine(200).parse(JSON.parse(quoted)) }
  } catch {
    return none
  }
}

/** Returns the file and line of an element, as far as they are known. */
async function locate(source: ElementSource, frame: Frame, deps: PickerDeps): Promise<PickedSource | null> {
  const { component, exact } = source
  const found = source.kind === 'file' ? { file: source.text, line: source.line } : await ofStack(source.text, frame)
  if (found === tooLarge) return { path: null, line: null, component, sure: false, tooLarge: true }
  if (!found) return component === '' ? null : { path: null, line: null, component, sure: false }
  const path = await pathInFolder(found.file, deps)
  return { path, line: found.line ?? null, component, sure: exact && path !== null && found.line !== undefined }
}

interface Place {
  file: string
  line?: number
}

/** Finds the first frame of a stack that is no library's, and what it was compiled from. */
async function ofStack(stack: string, frame: Frame): Promise<Place | typeof tooLarge | null> {
  for (const line of stack.split('\n')) {
    const position = /:(\d{1,9}):(\d{1,9})\)?$/.exec(line)
    const begin = line.search(/https?:\/\//)
    if (!position || begin === -1) continue
    const address = line.slice(begin, position.index)
    const [, row, column] = position
    if (/\/node_modules\/|\/@vite\/|\/\.vite\//.test(address)) continue
    const script = await textOf(address, frame)
    if (script === tooLarge) return tooLarge
    const map = script === null ? null : mapAddress(script, address)
    const text = map && (map.protocol === 'data:' ? dataText(map) : await textOf(map.href, frame))
    if (text === tooLarge) return tooLarge
    const original = text ? originalPosition(parsed(text), Number(row), Number(column)) : null
    if (original) return { file: fileOf(original.source, address), line: original.line }
    // Without a map, lines may have moved.
    return { file: fileOf(address, address) }
  }
  return null
}

/** Loads a script again, in the page: what it may reach is the same. `tooLarge`: it is longer than the limit. */
async function textOf(address: string, frame: Frame): Promise<string | typeof tooLarge | null> {
  const text = await frame.evaluate(loadText, { address, max: maxScript }).catch(() => '')
  if (text === null) return tooLarge
  return typeof text === 'string' && text !== '' && text.length <= maxScript ? text : null
}

interface Body {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array }>; cancel(): Promise<void> }
}

/** Runs in the page. Null: the text is longer than `max` bytes, so its rest was not loaded. */
async function loadText({ address, max }: { address: string; max: number }): Promise<string | null> {
  const { ok, body } = (await fetch(address)) as { ok: boolean; body: Body | null }
  if (!ok || !body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value?.length ?? 0
    if (bytes > max) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}

function dataText({ pathname }: URL): string {
  const comma = pathname.indexOf(',')
  const data = pathname.slice(comma + 1)
  return pathname.slice(0, comma).endsWith(';base64')
    ? Buffer.from(data, 'base64').toString()
    : decodeURIComponent(data)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the path in an address of a dev server. `source` is relative to the script. */
function fileOf(source: string, script: string): string {
  const path = URL.parse(source, script)?.pathname ?? source
  try {
    // Vite's prefix for files outside its root.
    return decodeURIComponent(path).replace(/^\/@fs(?=\/)/, '')
  } catch {
    return path
  }
}

/** Returns the path of a file relative to the folder; null if the folder has no such file. */
async function pathInFolder(file: string, { workspace, exists }: PickerDeps): Promise<string | null> {
  const inside = isAbsolute(file) ? relativeIn(workspace, file) : null
  const candidates = [
    ...(inside === null ? [] : [inside]),
    // An address begins with a slash too.
    normalize(join('.', file)),
  ]
  for (const candidate of candidates) {
    const path = candidate.split(sep).join('/')
    if (path !== '' && !path.startsWith('../') && (await exists(path))) return path
  }
  return null
}
