import { answer, call, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** `fetch: URL` fetches a page with Rustant's web_fetch and repeats the result. */
export const fetchPage: Scenario = {
  name: 'fetch-page',
  turns: [
    {
      prompt: /^fetch: /,
      steps: [
        { title: 'fetch', play: ({ prompt }) => answer(call('web_fetch', { url: prompt.slice('fetch: '.length) })) },
        { title: 'tell', play: (seen) => answer(say(`The model read: ${seen.result('web_fetch').text}`)) },
      ],
    },
  ],
}
