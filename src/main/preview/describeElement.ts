import type { PreviewBox } from '../../shared/preview/preview.ts'

// `describeElement` runs in the page, so it uses nothing from outside itself. The types have what it uses, because main
// knows no DOM.

/** Where a framework says that an element was written. */
export interface ElementSource {
  /** `file`: a path or the name of a file. `stack`: frames of the call that created the element. */
  kind: 'file' | 'stack'
  text: string
  line?: number | undefined
  /** Name of the component. */
  component: string
  /** Whether the position is that of the element itself, and not of its component or an element around it. */
  exact: boolean
}

export interface ElementDescription {
  /** Selectors from the page to the element, one for each shadow root. */
  selectors: string[]
  /** Short form, such as `button.primary`. */
  name: string
  html: string
  styles: Record<string, string>
  box: PreviewBox
  source: ElementSource | null
}

interface Fiber {
  _debugSource?: { fileName?: string; lineNumber?: number } | null
  _debugStack?: { stack?: string } | string | null
  _debugOwner?: { type?: { name?: string; displayName?: string }; name?: string } | null
}
interface Component {
  type?: { __file?: string; __name?: string }
  $options?: { __file?: string; name?: string }
}
interface PageElement {
  tagName: string
  id: string
  classList: Iterable<string>
  outerHTML: string
  parentElement: PageElement | null
  previousElementSibling: PageElement | null
  getRootNode(): { host?: PageElement; querySelectorAll(selector: string): ArrayLike<unknown> }
  getAttribute(name: string): string | null
  getBoundingClientRect(): PreviewBox
  __vueParentComponent?: Component
  __vue__?: Component
  __svelte_meta?: { loc?: { file?: string; line?: number; char?: number } }
}
declare const getComputedStyle: (element: PageElement) => { getPropertyValue(name: string): string }
declare const CSS: { escape(text: string): string }

/** Limits of the description, for the function that runs in the page. `brief`: only the name and the box. */
export const describeLimits = { html: 4000, selector: 300, stack: 4000, ancestors: 30, brief: false }

export function describeElement(node: unknown, limits: typeof describeLimits): ElementDescription {
  // The caller passes an element.
  const element = node as PageElement

  /** Returns the selector of an element in its document or shadow root. */
  function selectorOf(target: PageElement): string {
    const root = target.getRootNode()
    const isUnique = (selector: string) => root.querySelectorAll(selector).length === 1
    const parts: string[] = []
    for (let each: PageElement | null = target; each; each = each.parentElement) {
      const tag = each.tagName.toLowerCase()
      const testId = each.getAttribute('data-testid')
      const own = each.id !== '' ? `#${CSS.escape(each.id)}` : testId ? `[data-testid=${JSON.stringify(testId)}]` : null
      if (own !== null && isUnique(own)) return [own, ...parts].join(' > ').slice(0, limits.selector)
      let position = 1
      let same = 0
      for (let before = each.previousElementSibling; before; before = before.previousElementSibling) {
        position += 1
        if (before.tagName === each.tagName) same += 1
      }
      const isRoot = tag === 'html' || tag === 'body'
      parts.unshift(isRoot ? tag : same > 0 || position > 1 ? `${tag}:nth-child(${position})` : tag)
      const path = parts.join(' > ')
      if (isUnique(path)) return path.slice(0, limits.selector)
    }
    return parts.join(' > ').slice(0, limits.selector)
  }

  function selectors(): string[] {
    const found: string[] = []
    for (let each: PageElement | undefined = element; each; each = each.getRootNode().host)
      found.unshift(selectorOf(each))
    return found
  }

  function nameOf(target: PageElement): string {
    const tag = target.tagName.toLowerCase()
    if (target.id !== '') return `${tag}#${target.id}`.slice(0, 80)
    return [tag, ...[...target.classList].slice(0, 3)].join('.').slice(0, 80)
  }

  function html(): string {
    const all = element.outerHTML
    return all.length <= limits.html ? all : `${all.slice(0, limits.html)}…`
  }

  function styles(): Record<string, string> {
    const computed = getComputedStyle(element)
    const names =
      'display position color background-color font-family font-size font-weight line-height text-align margin padding border border-radius width height gap flex-direction justify-content align-items grid-template-columns opacity z-index overflow'
    const common = new Set(['', 'none', 'normal', 'auto', 'static', 'visible', '0px', 'start', '0px none rgb(0, 0, 0)'])
    return Object.fromEntries(
      names
        .split(' ')
        .map((name) => [name, computed.getPropertyValue(name).slice(0, 120)] as const)
        .filter(([, value]) => !common.has(value)),
    )
  }

  function ofReact(target: PageElement, exact: boolean): ElementSource | null {
    const key = Object.keys(target).find((name) => /^__react(?:Fiber|InternalInstance)\$/.test(name))
    const fiber = key === undefined ? undefined : (Reflect.get(target, key) as Fiber | undefined)
    if (!fiber) return null
    const owner = fiber._debugOwner
    const component = owner?.type?.displayName ?? owner?.type?.name ?? owner?.name ?? ''
    const { fileName, lineNumber } = fiber._debugSource ?? {}
    if (fileName !== undefined) return { kind: 'file', text: fileName, line: lineNumber, component, exact }
    const stack = typeof fiber._debugStack === 'string' ? fiber._debugStack : fiber._debugStack?.stack
    return stack === undefined ? null : { kind: 'stack', text: stack.slice(0, limits.stack), component, exact }
  }

  function ofVue(target: PageElement): ElementSource | null {
    const three = target.__vueParentComponent?.type
    const two = target.__vue__?.$options
    const text = three?.__file ?? two?.__file
    // Vue knows the file, but no line.
    return text === undefined ? null : { kind: 'file', text, component: three?.__name ?? two?.name ?? '', exact: false }
  }

  function ofSvelte(target: PageElement, exact: boolean): ElementSource | null {
    const { file, line, char } = target.__svelte_meta?.loc ?? {}
    if (file === undefined) return null
    // Up to version 4, which also has the offset, lines began at 0.
    return {
      kind: 'file',
      text: file,
      line: line === undefined ? undefined : line + (char === undefined ? 0 : 1),
      component: '',
      exact,
    }
  }

  function source(): ElementSource | null {
    let each: PageElement | null | undefined = element
    for (let step = 0; each && step < limits.ancestors; step++) {
      const exact = step === 0
      const found = ofReact(each, exact) ?? ofSvelte(each, exact) ?? ofVue(each)
      if (found) return found
      each = each.parentElement ?? each.getRootNode().host
    }
    return null
  }

  const { x, y, width, height } = element.getBoundingClientRect()
  const target = { name: nameOf(element), box: { x, y, width, height } }
  if (limits.brief) return { ...target, selectors: [], html: '', styles: {}, source: null }
  return { ...target, selectors: selectors(), html: html(), styles: styles(), source: source() }
}
