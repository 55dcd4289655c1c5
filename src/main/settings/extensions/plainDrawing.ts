/** Elements that paint in time that their number bounds, or paint nothing. */
const plainElements = new Set(
  (
    'svg g a switch path rect circle ellipse line polyline polygon text tspan defs clipPath linearGradient ' +
    'radialGradient stop title desc metadata style symbol use mask pattern marker filter feFlood feBlend feOffset ' +
    'feColorMatrix feComposite feGaussianBlur feMerge feMergeNode'
  ).split(' '),
)
/** Elements that repeat others or paint with them. They multiply. */
const repeating = new Set(['use', 'pattern', 'filter', 'mask', 'marker'])
const maxRepeating = 20
const maxPrefixes = 20

/**
 * Pure: whether an SVG file takes little time to paint. Browsers run nothing in an image and load nothing for it, but
 * elements that repeat others multiply, filters can take seconds, and animations paint without end.
 */
export function isPlainDrawing(content: Uint8Array): boolean {
  const text = readUtf8(content)
  if (text === null || definesEntities(text.toLowerCase())) return false
  // Rules with "@" animate. An escape could hide it.
  if (/<style[\s>]/.test(text) && /@|&#/.test(text)) return false
  const names = [...text.matchAll(/<([^\s/>!?]+)/g)].map(([, name = '']) => name)
  if (names.filter((name) => repeating.has(name)).length > maxRepeating) return false
  const others = [...new Set(names)].filter((name) => !plainElements.has(name))
  const prefixes = new Set(others.map((name) => /^([a-z]+):/i.exec(name)?.[1] ?? ''))
  return prefixes.size <= maxPrefixes && [...prefixes].every((prefix) => isForeign(prefix, text))
}

/** The text, if its encoding is UTF-8 in fact and by its declaration: browsers read others too. */
function readUtf8(content: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    const encoding = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)/.exec(text)?.[1] ?? 'utf-8'
    return text.includes('\0') || encoding.toLowerCase() !== 'utf-8' ? null : text
  } catch {
    return null
  }
}

function definesEntities(lowerText: string): boolean {
  const [, type, more] = lowerText.split('<!doctype', 3)
  return lowerText.includes('<!entity') || more !== undefined || type?.split('>', 1)[0]?.includes('[') === true
}

/** Whether elements with a prefix are those of a drawing program: it stands for another namespace than that of SVG. */
function isForeign(prefix: string, text: string): boolean {
  if (prefix === '') return false
  const declared = text.split(`xmlns:${prefix}`).slice(1)
  return declared.length > 0 && declared.every((rest) => /^="https?:\/\/(?!www\.w3\.org\/2000\/)[\w./#-]+"/.test(rest))
}
