import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { webUrl } from '../../web/webUrl.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { pageText } from '../common/webResponseText.ts'

export const webFetch = defineTool({
  name: 'web_fetch',
  title: 'Fetch web page',
  description: 'Fetches a page of the public internet and returns its text, HTML as Markdown, at most 100 KB.',
  risk: 'network',
  web: true,
  scope: ({ url }) => `GET ${webUrl(url).origin}`,
  schema: () => z.object({ url: z.string().describe('Address to fetch, http or https.') }),
  examples: [{ url: 'https://example.com/' }],
  preview({ url }, { web }) {
    web.check({ url })
    return Promise.resolve({})
  },
  async run({ url }, { web, signal }) {
    const page = await web.read({ url }, signal)
    if (page.status >= 400) {
      const next =
        page.status === 404 || page.status === 410
          ? 'Check the address, or search for the page.'
          : 'Try again later, or fetch another source.'
      throw new ToolError(
        'network_error',
        `${page.url} responded with HTTP ${page.status} ${page.statusText}`.trimEnd() + '.',
        next,
      )
    }
    return { text: pageText(page), selfTruncated: true, invisible: page.invisible }
  },
})
