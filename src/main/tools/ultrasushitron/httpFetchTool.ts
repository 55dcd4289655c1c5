import { z } from 'zod'
import { webMethods } from '../../web/webClient.ts'
import { webUrl } from '../../web/webUrl.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { responseText } from '../common/webResponseText.ts'

const pageRest = 'Fetch a page with a part of it, such as one chapter, or the source with strip_html false.'
const rawRest =
  'For more set the header "Range" to "bytes=102400-", where the server supports it, or name a smaller part in the URL.'

const schema = () =>
  z.object({
    url: z.string().describe('Address to fetch, http or https, e.g. https://example.com/page.'),
    method: z
      .enum(webMethods)
      .default('GET')
      .describe('HTTP method. All except GET count as destructive, because they may change data.'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Request headers by name. Host, Cookie and connection headers cannot be set.'),
    body: z.string().optional().describe('Request body, for POST and PUT.'),
    strip_html: z.boolean().default(false).describe('Return HTML as Markdown instead of its source.'),
  })

export const httpFetch = defineTool({
  name: 'HttpFetch',
  title: 'Fetch from the web',
  description:
    'Fetches a URL of the public internet and returns status, headers and text, at most 100 KB. Private addresses and ' +
    'non-text content are refused.',
  risk: 'destructive',
  web: true,
  riskOf: ({ method }) => (method === 'GET' ? 'network' : 'destructive'),
  scope: ({ method, url }) => `${method} ${webUrl(url).origin}`,
  schema,
  examples: [
    { url: 'https://api.example.com/data', method: 'GET', headers: { Accept: 'application/json' } },
    { url: 'https://example.com/', strip_html: true },
    {
      url: 'https://api.example.com/items',
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"a"}',
    },
  ],
  preview(args, { web }) {
    web.check(args)
    return Promise.resolve({})
  },
  async run({ strip_html: strip, ...request }, { web, signal }) {
    const answer = strip ? await web.read(request, signal) : await web.fetch(request, signal)
    return { text: responseText(answer, strip ? pageRest : rawRest), selfTruncated: true }
  },
})
