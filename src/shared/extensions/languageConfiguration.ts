/** Maximum length of a text that regular expressions of extensions are matched with, in UTF-16 units. */
export const maxMatchedText = 1000

/** A regular expression of an extension. */
export interface Expression {
  pattern: string
  flags: string
}

/** An expression, and what Monaco needs of it besides: it matches some with texts of any length, and some never empty. */
export interface JudgedExpression extends Expression {
  anyLength?: boolean
  neverEmpty?: boolean
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const maxPairs = 100
const maxRules = 100

/** Pure: converts a regular expression in VS Code's formats; null if it is missing or invalid. */
export function readExpression(value: unknown): Expression | null {
  const { pattern, flags = '' } = isRecord(value) ? value : { pattern: value }
  if (typeof pattern !== 'string' || typeof flags !== 'string' || pattern === '' || pattern.length > 5000) return null
  // A pattern that keeps its position between calls would match only now and then.
  const kept = flags.replaceAll(/[gy]/g, '')
  try {
    new RegExp(pattern, kept)
    return { pattern, flags: kept }
  } catch {
    return null
  }
}

/**
 * Pure: converts a parsed `language-configuration.json` to the fields that Monaco knows, with regular expressions as
 * `{ pattern, flags }`. Ignores what is not valid.
 * @param accepts whether a regular expression may be used
 */
export function readLanguageConfiguration(
  value: unknown,
  accepts: (expression: JudgedExpression) => boolean,
): Record<string, unknown> {
  if (!isRecord(value)) return {}
  const expression = (source: unknown, needs: Omit<JudgedExpression, keyof Expression> = {}) => {
    const read = readExpression(source)
    return read !== null && accepts({ ...read, ...needs }) ? read : undefined
  }
  const { comments, folding, indentationRules } = value
  const markers = isRecord(folding) && isRecord(folding.markers) ? folding.markers : undefined
  // Monaco joins them to an expression of its own, which no guard bounds.
  const start = expression(markers?.start, { anyLength: true })
  const end = expression(markers?.end, { anyLength: true })
  return withoutUndefined({
    comments: isRecord(comments) ? readComments(comments) : undefined,
    brackets: pairs(value.brackets),
    colorizedBracketPairs: pairs(value.colorizedBracketPairs),
    autoClosingPairs: openClose(value.autoClosingPairs),
    surroundingPairs: openClose(value.surroundingPairs),
    autoCloseBefore: typeof value.autoCloseBefore === 'string' ? value.autoCloseBefore.slice(0, 200) : undefined,
    // Monaco would search an empty word again and again.
    wordPattern: expression(value.wordPattern, { neverEmpty: true }),
    folding: isRecord(folding)
      ? withoutUndefined({ offSide: folding.offSide === true, markers: start && end && { start, end } })
      : undefined,
    indentationRules: isRecord(indentationRules) ? readIndentation(indentationRules, expression) : undefined,
    onEnterRules: readEnterRules(value.onEnterRules, expression),
  })
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
}

function readComments({ lineComment, blockComment }: Record<string, unknown>): object {
  const line: unknown = isRecord(lineComment) ? lineComment.comment : lineComment
  return withoutUndefined({
    lineComment: typeof line === 'string' && line !== '' && line.length <= 100 ? line : undefined,
    blockComment: pairs([blockComment])?.[0],
  })
}

/** Pairs of strings; undefined if there are none. */
function pairs(value: unknown): [string, string][] | undefined {
  if (!Array.isArray(value)) return undefined
  const found = value.slice(0, maxPairs).flatMap((pair: unknown): [string, string][] => {
    if (!Array.isArray(pair)) return []
    const [open, close] = pair as unknown[]
    return isToken(open) && isToken(close) ? [[open, close]] : []
  })
  return found.length === 0 ? undefined : found
}

const isToken = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 100

function openClose(value: unknown): { open: string; close: string; notIn?: string[] }[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.slice(0, maxPairs).flatMap((pair: unknown) => {
    const [listed] = pairs([pair]) ?? []
    if (listed) return [{ open: listed[0], close: listed[1] }]
    if (!isRecord(pair) || !isToken(pair.open) || !isToken(pair.close)) return []
    const notIn = Array.isArray(pair.notIn) ? pair.notIn.filter((each) => typeof each === 'string') : []
    return [{ open: pair.open, close: pair.close, ...(notIn.length > 0 && { notIn }) }]
  })
}

type ReadExpression = (source: unknown) => Expression | undefined

/** Indentation rules need both main expressions. */
function readIndentation(rules: Record<string, unknown>, expression: ReadExpression): object | undefined {
  const increaseIndentPattern = expression(rules.increaseIndentPattern)
  const decreaseIndentPattern = expression(rules.decreaseIndentPattern)
  if (!increaseIndentPattern || !decreaseIndentPattern) return undefined
  return withoutUndefined({
    increaseIndentPattern,
    decreaseIndentPattern,
    indentNextLinePattern: expression(rules.indentNextLinePattern),
    unIndentedLinePattern: expression(rules.unIndentedLinePattern),
  })
}

const indents = ['none', 'indent', 'indentOutdent', 'outdent']

function readEnterRules(value: unknown, expression: ReadExpression): object[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.slice(0, maxRules).flatMap((rule: unknown) => {
    if (!isRecord(rule) || !isRecord(rule.action)) return []
    const { indent, appendText, removeText } = rule.action
    const beforeText = expression(rule.beforeText)
    const others = [rule.afterText, rule.previousLineText].map(
      (source) => [source, source === undefined ? undefined : expression(source)] as const,
    )
    // Without one of its conditions, the rule would apply where it should not.
    const lacksCondition = others.some(([source, read]) => source !== undefined && read === undefined)
    if (!beforeText || lacksCondition || typeof indent !== 'string' || !indents.includes(indent)) return []
    return [
      withoutUndefined({
        beforeText,
        afterText: others[0]?.[1],
        previousLineText: others[1]?.[1],
        action: withoutUndefined({
          indentAction: indents.indexOf(indent),
          appendText: typeof appendText === 'string' ? appendText.slice(0, 200) : undefined,
          removeText: typeof removeText === 'number' ? removeText : undefined,
        }),
      }),
    ]
  })
}
