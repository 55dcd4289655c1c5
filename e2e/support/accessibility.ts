import { expect, test, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'

/** WCAG 2.2 AA: the tags of every version up to it. axe leaves two of its rules out unless they are named. */
const wcag: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  rules: { 'target-size': { enabled: true }, 'label-content-name-mismatch': { enabled: true } },
}
/** What differs between the themes. */
const colours: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } }

/**
 * Checks that what the page shows breaks no rule of WCAG 2.2 AA: every rule in the dark theme, those about colour in the light one
 * as well. The page must follow the system's theme. Failures are collected, and name the view.
 * @param exclude selectors of what is left out; the caller says why
 */
export async function checkView(page: Page, view: string, exclude: string[] = []): Promise<void> {
  await test.step(view, async () => {
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
      expect
        .soft(await violations(page, theme === 'dark' ? wcag : colours, exclude), `${view}, ${theme} theme`)
        .toEqual([])
    }
  })
}

/** What axe finds on the page as it is shown, once fonts and animations are done: a line for each element and rule. */
export async function violations(page: Page, options: RunOptions = wcag, exclude: string[] = []): Promise<string[]> {
  await settled(page)
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const found = await page.evaluate(
    // `preload` fetches style sheets again, for a rule about orientation that has no subject here.
    ({ run, without }) =>
      window.axe.run(without.length > 0 ? { exclude: without } : document, {
        ...run,
        resultTypes: ['violations'],
        preload: false,
      }),
    { run: options, without: exclude },
  )
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, html, failureSummary }) => `${id}: ${target.join(' ')}\n${html.slice(0, 200)}\n${failureSummary}`,
    ),
  )
}

/** Waits for fonts and for every animation that has an end: half faded text has another contrast. */
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
    /** In the page, once `violations` has put it there. */
    axe: typeof axe
  }
}
