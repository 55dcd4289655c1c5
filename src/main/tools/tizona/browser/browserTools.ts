import type { ElementHandle, Page } from 'playwright-core'
import { z } from 'zod'
import { ToolError } from '../../../../shared/errors.ts'
import { focusedElement } from '../../../preview/elementAt.ts'
import { checkOwnFrame, servedPath } from '../../../preview/ownPages.ts'
import type { PageReport } from '../../../preview/pageReport.ts'
import { isLoopback } from '../../../preview/reach.ts'
import { webUrl } from '../../../web/webUrl.ts'
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../common/toolDefinition.ts'
import { describePage, fittingLines, pageNotice } from './describePage.ts'

// Tools for a page in a browser of its own, which only reaches the servers of the folder and what the user allowed.

/** Milliseconds that a model can wait for. */
const maxWaitSeconds = 15

const ref = z
  .string()
  .regex(/^(?:f\d{1,6})?e\d{1,6}$/)
  .describe('Reference of the element in the snapshot, such as e12.')

/**
 * Finds an element. It stays the same, whatever the page shows afterwards.
 * @throws ToolError refused for an element in a frame of another host
 */
async function element(page: Page, reference: string): Promise<ElementHandle> {
  const found = await page.locator(`aria-ref=${reference}`).elementHandle()
  if (found === null)
    throw new ToolError(
      'no_match',
      `The page has no element with the reference ${reference}.`,
      'Look at it with browser_snapshot.',
    )
  await checkOwnFrame(await found.ownerFrame())
  return found
}

/** Does something with the page, and describes what changed. */
async function act(
  action: (page: Page) => Promise<unknown>,
  { preview, signal }: ToolContext,
  options?: { isUse?: boolean },
): Promise<ToolOutput> {
  return outputOf(await preview.act(action, signal, options))
}

const outputOf = (page: PageReport): ToolOutput => ({
  text: describePage(page),
  selfTruncated: true,
  invisible: page.invisible,
})

/** Properties that the tools for an open page share. */
const onPage = { follows: 'browser_open', smallestProfile: 'full', forClients: true, page: true } as const

/** Prompts for small windows do not list the other tools, which can be called in any case. */
const howToUse =
  'Use it with browser_click {ref}, browser_type {ref, text, submit}, browser_select {ref, values}, browser_press {key}, browser_wait {text}, browser_snapshot {}, browser_console {} or browser_evaluate {expression}.'

const browserOpen = defineTool({
  name: 'browser_open',
  title: 'Open a page',
  description: 'Opens a page of a dev server.',
  risk: 'network',
  // The page can only use servers of the folder. Another port is refused.
  riskOf: ({ url }) => (isLoopback(webUrl(url)) ? 'read' : 'network'),
  serial: true,
  page: true,
  forClients: true,
  reads: ({ url }) => servedPath(webUrl(url)),
  scope: ({ url }) => (isLoopback(webUrl(url)) ? undefined : `open ${webUrl(url).origin}`),
  schema: () => z.object({ url: z.string() }),
  examples: [{ url: 'http://localhost:5173/' }],
  preview({ url }) {
    webUrl(url)
    return Promise.resolve({})
  },
  async run({ url }, { preview, signal, web }) {
    const address = webUrl(url)
    if (!isLoopback(address)) web.check()
    // The gate has asked the user about other hosts.
    const page = outputOf(await preview.open(address, signal))
    return { ...page, text: `${page.text}\n\n${howToUse}` }
  },
})

const browserSnapshot = defineTool({
  ...onPage,
  name: 'browser_snapshot',
  title: 'Look at the page',
  description: 'Returns the elements of the open page with their references, and new console messages.',
  risk: 'read',
  serial: true,
  schema: () => z.object({}),
  examples: [{}],
  run: async (_args, { preview, signal }) => outputOf(await preview.snapshot(signal)),
})

const browserClick = defineTool({
  ...onPage,
  name: 'browser_click',
  title: 'Click in the page',
  description: 'Clicks an element of the open page, and returns what changed.',
  risk: 'write',
  schema: () => z.object({ ref }),
  examples: [{ ref: 'e12' }],
  run: ({ ref: reference }, context) => act(async (page) => (await element(page, reference)).click(), context),
})

const browserType = defineTool({
  ...onPage,
  name: 'browser_type',
  title: 'Type in the page',
  description: 'Fills in a field of the open page, and returns what changed.',
  risk: 'write',
  schema: () =>
    z.object({
      ref,
      text: z.string().max(10_000),
      submit: z.boolean().default(false).describe('Press Enter afterwards.'),
    }),
  examples: [{ ref: 'e5', text: 'Ada' }],
  run: ({ ref: reference, text, submit }, context) =>
    act(async (page) => {
      const field = await element(page, reference)
      await field.fill(text)
      if (submit) await field.press('Enter')
    }, context),
})

const browserSelect = defineTool({
  ...onPage,
  name: 'browser_select',
  title: 'Select in the page',
  description: 'Selects options of a list in the open page, and returns what changed.',
  risk: 'write',
  schema: () => z.object({ ref, values: z.array(z.string()).min(1).max(100).describe('Values or labels of options.') }),
  examples: [{ ref: 'e7', values: ['red'] }],
  run: ({ ref: reference, values }, context) =>
    act(async (page) => (await element(page, reference)).selectOption(values), context),
})

const browserPress = defineTool({
  ...onPage,
  name: 'browser_press',
  title: 'Press a key in the page',
  description: 'Presses a key in the open page, and returns what changed.',
  risk: 'write',
  schema: () => z.object({ key: z.string().min(1).max(40).describe('For example Enter, Tab or Control+A.') }),
  examples: [{ key: 'Escape' }],
  run: ({ key }, context) =>
    act(async (page) => {
      const focused = await focusedElement(page)
      await checkOwnFrame(focused?.frame ?? page.mainFrame())
      await page.keyboard.press(key)
    }, context),
})

const browserWait = defineTool({
  ...onPage,
  name: 'browser_wait',
  title: 'Wait for the page',
  description: 'Waits until a text appears in the open page or is gone, or for some seconds.',
  risk: 'read',
  serial: true,
  schema: () =>
    z.object({
      text: z.string().min(1).optional().describe('Text that must appear.'),
      gone: z.string().min(1).optional().describe('Text that must disappear.'),
      seconds: z.number().min(0).max(maxWaitSeconds).default(5).describe('Longest time to wait.'),
    }),
  examples: [{ text: 'Saved' }],
  async run({ text, gone, seconds }, context) {
    const timeout = seconds * 1000
    return act(
      async (page) => {
        try {
          if (text !== undefined) await page.getByText(text).first().waitFor({ timeout })
          if (gone !== undefined) await page.getByText(gone).first().waitFor({ state: 'hidden', timeout })
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
          throw new ToolError(
            'timeout',
            text === undefined
              ? `The page still contains "${gone}" after ${seconds} s.`
              : `The page does not contain "${text}" after ${seconds} s.`,
            'Look at it with browser_snapshot.',
          )
        }
        if (text === undefined && gone === undefined) await page.waitForTimeout(timeout)
      },
      context,
      { isUse: false },
    )
  },
})

const browserConsole = defineTool({
  ...onPage,
  name: 'browser_console',
  title: 'Read the console of the page',
  description: 'Lists the messages of the console and the uncaught errors of the open page.',
  risk: 'read',
  schema: () => z.object({}),
  examples: [{}],
  run: async (_args, { preview }) => ({ text: listed(preview.lists().console, 'The console is empty.') }),
})

const browserNetwork = defineTool({
  ...onPage,
  name: 'browser_network',
  title: 'List requests of the page',
  description: 'Lists the requests of the open page with their status.',
  risk: 'read',
  schema: () => z.object({}),
  examples: [{}],
  run: async (_args, { preview }) => ({ text: listed(preview.lists().network, 'There were no requests.') }),
})

/** Lists the newest lines that fit, in their order. */
const listed = (lines: readonly string[], empty: string): string =>
  lines.length === 0 ? empty : [pageNotice, ...fittingLines(lines.toReversed()).toReversed()].join('\n')

const browserEvaluate = defineTool({
  ...onPage,
  name: 'browser_evaluate',
  title: 'Evaluate JavaScript in the page',
  description: 'Evaluates a JavaScript expression in the open page and returns its value as JSON.',
  risk: 'execute',
  schema: () => z.object({ expression: z.string().min(1).max(10_000).describe('JavaScript expression.') }),
  examples: [{ expression: 'document.title' }],
  async run({ expression }, { preview, signal }) {
    const value = await preview.evaluate(expression, signal)
    const plain = (_key: string, each: unknown): unknown => (typeof each === 'bigint' ? `${each}n` : each)
    const text = JSON.stringify(value, plain, 1) ?? 'undefined'
    return { text: [pageNotice, ...fittingLines(text.split('\n'))].join('\n') }
  },
})

const browserScreenshot = defineTool({
  ...onPage,
  name: 'browser_screenshot',
  title: 'Take a screenshot of the page',
  description: 'Takes a picture of the open page, for models that support images.',
  risk: 'read',
  serial: true,
  schema: () => z.object({}),
  examples: [{}],
  async run(_args, { preview, signal }) {
    const data = await preview.read((page) => page.screenshot({ type: 'png' }), signal)
    return {
      text: 'A picture of the page.',
      view: { kind: 'pictures', pictures: [{ mimeType: 'image/png', data: data.toString('base64') }] },
    }
  },
})

/** Tools that see and use a page. */
export const browserTools: readonly Tool[] = [
  browserOpen,
  browserSnapshot,
  browserClick,
  browserType,
  browserSelect,
  browserPress,
  browserWait,
  browserConsole,
  browserNetwork,
  browserEvaluate,
  browserScreenshot,
]
