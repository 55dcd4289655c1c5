import type { Mention } from '../textLinks/MentionLink.tsx'
import { parsePathLocation, pathsInText } from '../textLinks/pathsInText.ts'

/** The hast nodes that this module uses. */
interface HastText {
  type: 'text'
  value: string
}
interface HastElement {
  type: 'element'
  tagName: string
  properties: Record<string, unknown>
  children: HastNode[]
}
type HastNode =
  | HastText
  | HastElement
  | { type: 'root'; children: HastNode[] }
  | { type: 'comment' | 'doctype' | 'raw' }

/** Maximum number of mentions per block. */
const maxMentions = 100
const symbolName = /^(?=.{3,200}$)[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*(\(\))?$/u

/** Pure: returns what inline code may mention; null if it is neither a path nor a name. */
function mentionOf(code: string): Mention | null {
  const parsed = /\s/.test(code) && !/[./\\]/.test(code) ? null : parsePathLocation(code)
  const symbol = symbolName.exec(code)
  // A function call is not a file.
  const place = symbol?.[1] === undefined && parsed ? parsed : undefined
  const name = symbol ? code.replace(/\(\)$/, '') : undefined
  return place || name !== undefined ? { place, symbol: name } : null
}

/** Key of an element's mention. No other hast property is an object. */
const mentionKey = 'mention'

/** Returns an element's mention. */
export function mentionOfNode(node: { properties?: Record<string, unknown> } | undefined): Mention | undefined {
  // Only `wrap` sets it. Raw HTML is text, so a document cannot.
  return node?.properties?.[mentionKey] as Mention | undefined
}

const wrap = (mention: Mention, child: HastNode): HastElement => ({
  type: 'element',
  tagName: 'a',
  properties: { [mentionKey]: mention },
  children: [child],
})

/** Wraps possible paths and symbol names in links, which `MentionLink` renders. Skips code blocks. */
export function rehypeMentions() {
  return (tree: unknown): void => {
    let left = maxMentions
    const textParts = ({ value }: HastText): HastNode[] => {
      const parts: HastNode[] = []
      let at = 0
      for (const { start, end, ...place } of pathsInText(value, left)) {
        left--
        if (start > at) parts.push({ type: 'text', value: value.slice(at, start) })
        parts.push(wrap({ place }, { type: 'text', value: value.slice(start, end) }))
        at = end
      }
      if (at < value.length) parts.push({ type: 'text', value: value.slice(at) })
      return parts
    }
    const visit = (node: HastNode): HastNode[] => {
      if (left <= 0) return [node]
      if (node.type === 'text') return textParts(node)
      if (!('children' in node)) return [node]
      if (node.type === 'element') {
        if (node.tagName === 'a' || node.tagName === 'pre') return [node]
        if (node.tagName === 'code') {
          const [only] = node.children
          // Formulas have a class.
          const plain = node.properties['className'] === undefined && only?.type === 'text'
          const mention = plain ? mentionOf(only.value) : null
          if (mention) left--
          return mention ? [wrap(mention, node)] : [node]
        }
      }
      node.children = node.children.flatMap(visit)
      return [node]
    }
    // react-markdown passes the root of a hast tree.
    visit(tree as HastNode)
  }
}
