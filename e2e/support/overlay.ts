import type { Locator } from '@playwright/test'

/** Minimum contrast for text of this size in WCAG 2.2 AA. */
const minContrast = 4.5

/**
 * Finds problems of a box that overlays other content: a translucent background, a missing border, an area outside of
 * the window, an area that another element covers, and text with too little contrast.
 * @param border sides that need a border
 * @returns one line per problem
 */
export async function overlayProblems(box: Locator, texts: Locator, border: 'all' | 'top-bottom'): Promise<string[]> {
  const problems = await box.evaluate(boxProblems, border)
  for (const text of await texts.all()) {
    const found = await text.evaluate(contrastOf)
    if (found && found.contrast < minContrast)
      problems.push(`"${found.text}" ${found.color} on ${found.background}: ${found.contrast.toFixed(2)}`)
  }
  if ((await texts.count()) === 0) problems.push('no text')
  return problems
}

/** Runs in the page. */
function boxProblems(element: Element, border: 'all' | 'top-bottom'): string[] {
  const problems: string[] = []
  const style = getComputedStyle(element)
  const opaque = (node: Element): boolean =>
    !/^(rgba\(.*, (0|0?\.\d+)\)|transparent)$/.test(getComputedStyle(node).backgroundColor)
  const sides = border === 'all' ? ['top', 'right', 'bottom', 'left'] : ['top', 'bottom']
  for (const side of sides) {
    const width = Number.parseFloat(style.getPropertyValue(`border-${side}-width`))
    const color = style.getPropertyValue(`border-${side}-color`)
    const drawn = width > 0 && style.getPropertyValue(`border-${side}-style`) !== 'none' && !color.endsWith(', 0)')
    if (!drawn && style.outlineStyle === 'none') problems.push(`no ${side} border`)
  }
  const { left, top, right, bottom } = element.getBoundingClientRect()
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
    problems.push(`outside the window: ${[left, top, right, bottom].join(' ')}`)
  const at = (x: number, y: number): Element | null => {
    let found = document.elementFromPoint(x, y)
    while (found?.shadowRoot?.elementFromPoint(x, y)) found = found.shadowRoot.elementFromPoint(x, y)
    return found
  }
  for (const x of [left + 4, (left + right) / 2, right - 4]) {
    for (const y of [top + 4, (top + bottom) / 2, bottom - 4]) {
      const found = at(x, y)
      // The background of a menu belongs to its parent, the scroller.
      let layer = found
      while (layer && layer !== element.parentElement && !opaque(layer)) layer = layer.parentElement
      if (!layer || !opaque(layer)) problems.push(`the page shows through at ${Math.round(x)},${Math.round(y)}`)
      if (!element.contains(found)) problems.push(`covered at ${Math.round(x)},${Math.round(y)} by ${found?.className}`)
    }
  }
  return problems
}

/** Returns the contrast of an element's text with its background. Runs in the page. */
function contrastOf(element: Element): { text: string; color: string; background: string; contrast: number } | null {
  type Rgba = [number, number, number, number]
  const parse = (value: string): Rgba => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (value.match(/[\d.]+/g) ?? []).map(Number)
    return value.startsWith('color(srgb') ? [red * 255, green * 255, blue * 255, alpha] : [red, green, blue, alpha]
  }
  const over = ([r, g, b, a]: Rgba, under: Rgba): Rgba => [
    r * a + under[0] * (1 - a),
    g * a + under[1] * (1 - a),
    b * a + under[2] * (1 - a),
    1,
  ]
  const parent = (node: Element): Element | null => {
    if (node.parentElement) return node.parentElement
    const root = node.getRootNode()
    return root instanceof ShadowRoot ? root.host : null
  }
  const layers: Rgba[] = []
  for (let node: Element | null = element; node; node = parent(node)) {
    const layer = parse(getComputedStyle(node).backgroundColor)
    layers.push(layer)
    if (layer[3] === 1) break
  }
  const background = layers.reduceRight<Rgba>((under, layer) => over(layer, under), [255, 255, 255, 1])
  const style = getComputedStyle(element)
  const color = over(parse(style.color), background)
  const luminance = ([r, g, b]: Rgba): number => {
    const [x = 0, y = 0, z = 0] = [r, g, b].map((byte) =>
      byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const text = (element.textContent || (element instanceof HTMLInputElement ? element.value : '')).slice(0, 30)
  // Skip inactive controls, for which WCAG requires no contrast.
  if (text.trim() === '' || element.closest('.disabled, [aria-disabled="true"]')) return null
  const [light = 0, dark = 0] = [luminance(color), luminance(background)].toSorted((a, b) => b - a)
  return {
    text,
    color: style.color,
    background: background.map(Math.round).join(' '),
    contrast: (light + 0.05) / (dark + 0.05),
  }
}
