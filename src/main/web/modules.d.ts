// Types of the packages that web/ uses, whose own types are missing or require the browser's DOM types.

declare module 'html-encoding-sniffer' {
  export default function sniffEncoding(
    bytes: Uint8Array,
    options?: { xml?: boolean; transportLayerEncodingLabel?: string; defaultEncoding?: string },
  ): string
}

declare module '@mixmark-io/domino' {
  export interface DomElement {
    readonly nodeName: string
    readonly textContent: string
    readonly className: string
    readonly parentNode: DomElement | null
    readonly firstElementChild: DomElement | null
    readonly previousElementSibling: DomElement | null
    readonly children: ArrayLike<DomElement>
    innerHTML: string
    getAttribute(name: string): string | null
    setAttribute(name: string, value: string): void
    removeAttribute(name: string): void
    /** Domino returns undefined where a browser returns null. */
    querySelector(selector: string): DomElement | undefined
    querySelectorAll(selector: string): ArrayLike<DomElement>
    remove(): void
  }
  export interface DomDocument extends DomElement {
    readonly title: string
    readonly body: DomElement
  }
  const domino: { createDocument(html: string): DomDocument }
  export default domino
}

declare module 'turndown' {
  import type { DomElement } from '@mixmark-io/domino'
  export interface Rule {
    filter: string | readonly string[] | ((node: DomElement) => boolean)
    replacement(content: string, node: DomElement): string
  }
  export default class TurndownService {
    constructor(options: {
      headingStyle: 'atx'
      codeBlockStyle: 'fenced'
      bulletListMarker: '-'
      hr: string
      emDelimiter: '*'
    })
    addRule(name: string, rule: Rule): this
    escape(text: string): string
    turndown(input: DomElement): string
  }
}
