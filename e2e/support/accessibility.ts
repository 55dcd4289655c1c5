import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'

/** `axe.source` is not minified, and takes a page three times as long to read. */
const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Rules of WCAG 2.2 AA: the tags of all versions up to it, and two rules that axe runs only by name. */
const wcag: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  rules: { 'target-size': { enabled: true }, 'label-content-name-mismatch': { enabled: true } },
}
/** Rules whose results depend on the theme. */
const contrastOnly: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } }
/** Text in the high contrast themes has the contrast of WCAG AAA. */
const highContrast: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast-enhanced'] },
  rules: { 'color-contrast-enhanced': { enabled: true } },
}

/** Rules to run in each theme when a view is checked in several. The dark theme is last, so that the page keeps it. */
const themeRules = { 'hc-light': highContrast, 'hc-dark': highContrast, light: contrastOnly, dark: wcag }
type Theme = keyof typeof themeRules
/** All themes: the order of their checks. */
// The keys of themeRules are Themes.
export const allThemes = Object.keys(themeRules) as Theme[]

/** Number of views that were checked in each page. */
const checkedViews = new WeakMap<Page, number>()

/** Returns both themes in the long form. A short run checks the views of a page in alternate themes. */
function defaultThemes(page: Page): readonly Theme[] {
  if (process.env['TIZONA_TEST_LONG'] === '1') return ['light', 'dark']
  const checked = checkedViews.get(page) ?? 0
  checkedViews.set(page, checked + 1)
  return [checked % 2 === 0 ? 'dark' : 'light']
}

/** Parts of a page, as CSS selectors. */
interface Region {
  /** Checks only these: an overlay of a page whose other parts have been checked. Default: the whole page. */
  only?: string[]
  /** Skips these. The caller gives the reason. */
  exclude?: string[]
}

// Parts of the window that a step changes. Other steps check the rest, and the long form checks whole views.
export const inDialog: Region = { only: ['dialog[open], [role="dialog"]'] }
export const inMenu: Region = { only: ['[role="menu"]'] }
export const inForm: Region = { only: ['form'] }
export const inSideBar: Region = { only: ['[data-region="side-bar"]'] }
export const inPanel: Region = { only: ['[data-region="panel"]'] }
export const inChat: Region = { only: ['[data-region="chat"]'] }
export const inApproval: Region = { only: ['[data-testid="approval-card"]'] }
export const inEditors: Region = { only: ['.editor-group'] }

/**
 * Checks the page against WCAG 2.2 AA: all rules in the last theme, and the rules about color in the other themes. The
 * page must follow the system's theme. Failures do not stop the test and name the view.
 */
export async function checkView(
  page: Page,
  view: string,
  region: Region = {},
  themes: readonly Theme[] = defaultThemes(page),
): Promise<void> {
  await test.step(view, async () => {
    for (const theme of themes) {
      await page.emulateMedia({
        colorScheme: theme.endsWith('light') ? 'light' : 'dark',
        contrast: theme.startsWith('hc') ? 'more' : 'no-preference',
        reducedMotion: 'reduce',
      })
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
      const rules = theme === themes.at(-1) ? wcag : themeRules[theme]
      expect.soft(await violations(page, rules, region), `${view}, ${theme} theme`).toEqual([])
    }
  })
}

/** Returns axe's findings after fonts and animations have finished: one line per element and rule. */
export async function violations(page: Page, options: RunOptions = wcag, region: Region = {}): Promise<string[]> {
  await settled(page)
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const found = await page.evaluate(
    // `preload` loads style sheets again for a rule about orientation, which does not apply here.
    ({ run, only, exclude }) =>
      window.axe.run(
        { include: only ?? document, ...(exclude && { exclude }) },
        { ...run, resultTypes: ['violations'], preload: false },
      ),
    { run: options, ...region },
  )
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, html, failureSummary }) => `${id}: ${target.join(' ')}\n${html.slice(0, 200)}\n${failureSummary}`,
    ),
  )
}

/** Waits for fonts and finite animations, because fading text has a different contrast. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    const running = (): Animation[] =>
      document
        .getAnimations()
        .filter((each) => each.playState === 'running' && each.effect?.getComputedTiming().iterations !== Infinity)
    do {
      await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))
      await Promise.allSettled(running().map(({ finished }) => finished))
    } while (running().length > 0)
  })
}

declare global {
  interface Window {
    /** Set by `violations` in the page. */
    axe: typeof axe
  }
}
