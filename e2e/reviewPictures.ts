import type { Browser } from 'playwright'
import { scenarios } from './scenarios/index.ts'
import { reviewedFile } from './scenarios/reviewedEdits.ts'
import { picture, type Take } from './support/pictures.ts'
import { lastAnswer, send } from './support/window.ts'

const files = { 'src/users.ts': reviewedFile.before, 'README.md': '# Harbour\n', 'old.md': 'Old notes.\n' }

/** Takes pictures of the review: list and hunks in the editor, the bar of a hunk with a comment, and side by side. */
export async function reviewPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(
    browser,
    theme,
    {
      files,
      scenario: scenarios.reviewedEdits,
      settings: { mode: 'yolo' },
      viewport: { width: 1600, height: 720 },
    },
    async (page) => {
      const window = page.locator('.workbench-body')
      await send(page, 'Tidy up')
      await lastAnswer(page)
        .getByText(/Tidied up/)
        .waitFor()
      await send(page, 'Limit the users')
      await lastAnswer(page)
        .getByText(/are limited/)
        .waitFor()
      await page.keyboard.press('Control+Alt+r')
      await page
        .locator('.review-row')
        .filter({ hasText: 'users.ts' })
        .click({ position: { x: 40, y: 10 } })
      await page.locator('.hunk-bar').waitFor()
      await take(page, 'review', window)

      await page.keyboard.press('Control+Alt+m')
      await page.keyboard.type('Read the limit from the settings')
      await take(page, 'review-comment', page.locator('.editor-group'))
      await page.keyboard.press('Enter')
      await page.locator('.review-row').filter({ hasText: 'users.ts' }).hover()
      await page.getByRole('button', { name: 'Open users.ts side by side' }).click()
      await page.locator('.diff-bar').waitFor()
      await page.keyboard.press('Control+Alt+b')
      await page.locator('.monaco-diff-editor.side-by-side .line-insert').first().waitFor()
      await take(page, 'review-diff', window)
    },
  )
}
