import type { Browser } from 'playwright'
import type { Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'

const scenario: Scenario = { name: 'debug-pictures', model: 'qwen2.5-coder:7b', turns: [] }
const settings = { model: { endpointId: 'scripted', model: 'qwen2.5-coder:7b' } }
const viewport = { width: 1280, height: 720 }

const fees = `"""Fees of a small harbour."""

TARIFF = {"small": 2.5, "large": 4.0}


def fee(ship, days):
    size = "large" if ship["length"] > 20 else "small"
    price = TARIFF[size] * ship["length"]
    discount = 0.9 if days > 7 else 1
    return round(price * days * discount, 2)


def total(ships):
    result = 0
    for ship in ships:
        result += fee(ship, ship["days"])
    return result


ships = [
    {"name": "Alba", "length": 12, "days": 3},
    {"name": "Borea", "length": 31, "days": 9},
    {"name": "Corvo", "length": 9},
]
print("total", total(ships))
`

/** Takes pictures of a program that has stopped at a breakpoint and at an exception. Needs debugpy. */
export async function debugPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(browser, theme, { files: { 'fees.py': fees }, scenario, settings, viewport }, async (page) => {
    await page.keyboard.press('Control+Alt+b')
    await page.getByRole('treeitem', { name: 'fees.py' }).dblclick()
    await page.locator('.monaco-editor .view-line', { hasText: 'return round' }).click()
    await page.keyboard.press('F9')
    await page.keyboard.press('F5')
    const toolbar = page.getByRole('toolbar', { name: 'Debugging' })
    await toolbar.getByText('Paused on breakpoint').waitFor()
    await page.locator('.debug-inline-value').first().waitFor()
    await page.getByRole('tree', { name: 'Variables' }).getByRole('treeitem', { name: /^ship/ }).click()
    await take(page, 'debug', page.locator('.workbench-body'))
    await page.keyboard.press('F5')
    await page.getByRole('tree', { name: 'Variables' }).getByText(/Borea/).first().waitFor()
    await page.keyboard.press('F5')
    await page.getByRole('alert', { name: 'Exception' }).waitFor()
    await take(page, 'debug-exception', page.locator('.editor-group').first())
  })
}
