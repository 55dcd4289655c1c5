import type { Extension as FromMarkdown } from 'mdast-util-from-markdown'
import type { Code, Construct, Effects, State, TokenizeContext } from 'micromark-util-types'

declare module 'micromark-util-types' {
  /** Tokens from which remark-math makes formulas. */
  interface TokenTypeMap {
    mathText: 'mathText'
    mathTextData: 'mathTextData'
    mathTextSequence: 'mathTextSequence'
  }
}

/** Character codes of Markdown's tokenizer. */
const codes = { dollar: 36, backslash: 92, openParen: 40, closeParen: 41, openBracket: 91, closeBracket: 93 } as const

/** Maximum length of an inline formula, which limits the search for its end. */
const maxLength = 4000

const isDollar = (code: Code): boolean => code === codes.dollar
const isLineEnding = (code: Code): boolean => code !== null && code < -2
const isSpace = (code: Code): boolean => code === null || code < 0 || code === 32
const isAlphanumeric = (code: Code): boolean =>
  code !== null && code > 0 && /[\p{L}\p{N}]/u.test(String.fromCharCode(code))

/**
 * Tokenizes inline formulas: `$x$`, and `\(x\)` and `\[x\]`, which many models write. So that prices and shell
 * variables stay text, an opening `$` must precede a non-space, and the closing one must follow a non-space and must
 * not precede a letter or digit.
 */
function tokenizeTex(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const previous = (): Code => this.previous
  let length = 0
  let close: number = codes.dollar

  return (code) => {
    effects.enter('mathText')
    effects.enter('mathTextSequence')
    effects.consume(code)
    return code === codes.dollar ? afterDollar : afterBackslash
  }

  function afterDollar(code: Code): State | undefined {
    effects.exit('mathTextSequence')
    return code === codes.dollar || isSpace(code) ? nok(code) : between(code)
  }

  function afterBackslash(code: Code): State | undefined {
    if (code === codes.openParen) close = codes.closeParen
    else if (code === codes.openBracket) close = codes.closeBracket
    else return nok(code)
    effects.consume(code)
    effects.exit('mathTextSequence')
    return between
  }

  function between(code: Code): State | undefined {
    if (code === null || length > maxLength) return nok(code)
    if (isLineEnding(code)) {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      return between
    }
    if (code === close || (code === codes.backslash && close !== codes.dollar))
      return effects.attempt({ tokenize: tokenizeClose, partial: true }, end, isDollar(code) ? nok : startData)(code)
    return startData(code)
  }

  function tokenizeClose(inner: Effects, closed: State, open: State): State {
    function beforeNext(code: Code): State | undefined {
      if (close === codes.dollar && (code === codes.dollar || isAlphanumeric(code))) return open(code)
      inner.exit('mathTextSequence')
      return closed(code)
    }
    return (code) => {
      if (close === codes.dollar && isSpace(previous())) return open(code)
      inner.enter('mathTextSequence')
      inner.consume(code)
      if (close === codes.dollar) return beforeNext
      return (second) => {
        if (second !== close) return open(second)
        inner.consume(second)
        return beforeNext
      }
    }
  }

  function end(code: Code): State | undefined {
    effects.exit('mathText')
    return ok(code)
  }

  function startData(code: Code): State | undefined {
    effects.enter('mathTextData')
    length += 1
    effects.consume(code)
    return code === codes.backslash ? afterEscape : data
  }

  /** A character after a backslash does not end the formula. */
  function afterEscape(code: Code): State | undefined {
    if (code === null || isLineEnding(code)) return data(code)
    effects.consume(code)
    return data
  }

  function data(code: Code): State | undefined {
    if (code === null || isLineEnding(code) || code === codes.dollar || code === codes.backslash) {
      effects.exit('mathTextData')
      return between(code)
    }
    length += 1
    effects.consume(code)
    return data
  }
}

const tex: Construct = {
  name: 'tex',
  tokenize: tokenizeTex,
  previous: (code) => code !== codes.dollar,
}

interface SyntaxNode {
  type: string
  position?: { start: { offset?: number } }
  data?: { hProperties?: Record<string, unknown> }
  children?: SyntaxNode[]
}

/** Marks formulas between `$$` or `\[` and `\]` as blocks, also within a line of text. */
function markBlocks(node: SyntaxNode, source: string): void {
  const opening = source.slice(node.position?.start.offset ?? 0).slice(0, 2)
  if (node.type === 'inlineMath' && (opening === '$$' || opening === String.raw`\[`) && node.data)
    node.data.hProperties = { className: ['language-math', 'math-display'] }
  for (const child of node.children ?? []) markBlocks(child, source)
}

/** The parts of a Markdown processor's data that remark-math and this plugin use. */
interface ProcessorData {
  micromarkExtensions?: unknown[]
  fromMarkdownExtensions?: FromMarkdown[]
}

/** Adds inline formulas to those of remark-math, whose single dollars must be off. */
export function remarkTex(this: unknown): (tree: unknown, file: unknown) => void {
  // unified calls plugins with the processor as `this`.
  const data = (this as { data(): ProcessorData }).data()
  ;(data.micromarkExtensions ??= []).push({ text: { [codes.dollar]: tex, [codes.backslash]: tex } })
  // mdast is the tree of every remark plugin.
  return (tree, file) => markBlocks(tree as SyntaxNode, String(file))
}
