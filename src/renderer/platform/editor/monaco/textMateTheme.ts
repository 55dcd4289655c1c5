import type { ColorTheme } from '../../../../shared/editor/colorTheme.ts'
import { toHexColor } from './monacoTheme.ts'

/** Token colors for TextMate scopes. */
export interface TextMateTheme {
  rules: { scope?: string; settings: { foreground?: string; background?: string; fontStyle?: string } }[]
  /** Colors by their number in tokens, `#RRGGBB`. The first is unused, the next two are the text and its background. */
  colors: string[]
}

/** Monaco has nine bits for the number of a color. The others are for the colors of its own grammars. */
const maxColors = 400

/** Scopes of Tizona's own themes, with tokens (`--color-syntax-…`). Later ones win. */
const ownScopes: readonly (readonly [scopes: string, token: string, fontStyle?: string])[] = [
  ['comment, punctuation.definition.comment', 'comment', 'italic'],
  ['string, punctuation.definition.string, markup.inline.raw, markup.fenced_code, markup.inserted', 'string'],
  ['string.regexp, constant.numeric, constant.other.color', 'number'],
  ['constant.language, constant.character, constant.other, variable.language, support.constant', 'constant'],
  ['keyword, storage, storage.type, markup.list punctuation', 'keyword'],
  ['keyword.operator, punctuation, variable, meta.embedded', 'variable'],
  ['keyword.operator.new, keyword.operator.expression, keyword.operator.logical.python', 'keyword'],
  ['entity.name.function, support.function, meta.object-literal.key, support.type.property-name', 'function'],
  ['entity.name.type, entity.name.class, entity.name.namespace, support.type, support.class', 'type'],
  ['entity.other.inherited-class, storage.type.primitive, entity.name.section, markup.heading', 'type'],
  ['entity.name.tag, markup.deleted, invalid', 'tag'],
  ['entity.other.attribute-name, meta.decorator, meta.annotation', 'attribute'],
  ['support.type.property-name.json, support.type.property-name.css', 'function'],
  ['markup.bold', 'constant', 'bold'],
  ['markup.italic', 'string', 'italic'],
]

/**
 * Builds the colors for the scopes of TextMate grammars: those of an imported theme, or Tizona's own.
 * @param imported the active imported theme; null if there is none
 */
export function textMateTheme(imported: ColorTheme | null): TextMateTheme {
  const styles = getComputedStyle(document.documentElement)
  const token = (name: string) => hex(toHexColor(styles.getPropertyValue(`--color-${name}`).trim()), '#808080')
  const text = hex(imported?.colors['editor.foreground'] ?? '', token('syntax-variable'))
  const background = hex(imported?.colors['editor.background'] ?? '', token('editor'))
  const rules = imported && imported.tokens.length > 0 ? imported.tokens.map(ruleOf) : ownRules(token)
  const colors = new Set([text, background])
  for (const { settings } of rules) {
    if (settings.foreground === undefined) continue
    settings.foreground = hex(settings.foreground, text)
    if (colors.size >= maxColors && !colors.has(settings.foreground)) settings.foreground = text
    colors.add(settings.foreground)
  }
  return { rules: [{ settings: { foreground: text, background } }, ...rules], colors: ['', ...colors] }
}

function ruleOf({ scope, foreground, fontStyle }: ColorTheme['tokens'][number]): TextMateTheme['rules'][number] {
  return {
    scope,
    settings: { ...(foreground !== undefined && { foreground }), ...(fontStyle !== undefined && { fontStyle }) },
  }
}

function ownRules(token: (name: string) => string): TextMateTheme['rules'] {
  return ownScopes.map(([scope, name, fontStyle]) => ({
    scope,
    settings: { foreground: token(`syntax-${name}`), ...(fontStyle !== undefined && { fontStyle }) },
  }))
}

/** A color without its opacity, in the notation that Monaco and the grammars compare. */
function hex(color: string, fallback: string): string {
  return /^#[0-9a-f]{6}/i.test(color) ? color.slice(0, 7).toUpperCase() : fallback
}
