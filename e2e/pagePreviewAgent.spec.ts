import { answer, call, say, type Scenario, type StepInput } from '../src/main/model/scripted/scenario.ts'
import { expect, test } from './support/app.ts'
import { hotReact, shop, startVite, type ViteServer } from './support/vite.ts'
import { card, cardIs, lastAnswer, readPage, runPalette, send, unfold } from './support/window.ts'

// A model that builds a page with its browser tools, a real Chromium and the dev server of a real Vite project.

/** A form whose handler reads a field that does not exist. */
const form = `import { useState } from 'react'

export function App() {
  const [orders, setOrders] = useState([])
  function order(event) {
    event.preventDefault()
    const data = new FormData(event.target)
    setOrders([...orders, data.get('name').trim()])
  }
  return (
    <main>
      <h1>Order a rope</h1>
      <form onSubmit={order}>
        <label>
          Your name <input name="customer" />
        </label>
        <button className="add">Order</button>
      </form>
      <ul>
        {orders.map((each) => (
          <li key={each}>Rope for {each}</li>
        ))}
      </ul>
    </main>
  )
}
`

let server: ViteServer | undefined
test.afterEach(async () => {
  await server?.close()
  server = undefined
})

/** Returns the reference of an element in the latest result of a tool. */
const ref = (seen: StepInput, tool: string, element: RegExp): string =>
  seen.expect(tool, new RegExp(`${element.source}.*\\[ref=(\\w+)\\]`), `the element ${element.source}`)[1] ?? ''

/** The steps of the model, which knows only what the results contain. */
const builder: Scenario = {
  name: 'builder',
  turns: [
    {
      prompt: /^Build an order form, and try it at (\S+)$/,
      steps: [
        { title: 'write', play: () => answer(call('write_file', { path: 'src/App.jsx', content: form })) },
        { title: 'open', play: ({ prompt }) => answer(call('browser_open', { url: prompt.split(' ').at(-1) ?? '' })) },
        {
          title: 'type',
          play: (seen) => answer(call('browser_type', { ref: ref(seen, 'browser_open', /textbox/), text: 'Ada' })),
        },
        {
          title: 'order',
          play: (seen) => answer(call('browser_click', { ref: ref(seen, 'browser_open', /button "Order"/) })),
        },
        {
          title: 'read the console',
          play(seen) {
            seen.expect('browser_click', /What changed:[^]*Console:\n.*uncaught: /, 'the error')
            return answer(call('browser_console', {}))
          },
        },
        {
          title: 'read the place of the error',
          play(seen) {
            seen.expect('browser_console', /reading 'trim'.*src\/App\.jsx/, 'the file of the error')
            return answer(call('read_file', { path: 'src/App.jsx' }))
          },
        },
        {
          title: 'mend',
          play: () =>
            answer(
              call('edit_file', {
                path: 'src/App.jsx',
                old_content:
                  '<h1>Order a rope</h1>\n      <form onSubmit={order}>\n        <label>\n          Your name <input name="customer" />',
                new_content:
                  '<h1>Order your rope</h1>\n      <form onSubmit={order}>\n        <label>\n          Your name <input name="name" />',
              }),
            ),
        },
        { title: 'look again', play: () => answer(call('browser_wait', { text: 'Order your rope', seconds: 30 })) },
        {
          title: 'take a snapshot',
          play(seen) {
            seen.expect('browser_wait', /What changed:\n[^]*\+ .*heading "Order your rope"/, 'the new heading')
            return answer(call('browser_snapshot', {}))
          },
        },
        {
          title: 'type again',
          play: (seen) =>
            answer(call('browser_type', { ref: ref(seen, 'browser_snapshot', /textbox/), text: 'Grace' })),
        },
        {
          title: 'order again',
          play: (seen) => answer(call('browser_click', { ref: ref(seen, 'browser_snapshot', /button "Order"/) })),
        },
        {
          title: 'tell',
          play(seen) {
            const [line] = seen.expect('browser_click', /\+ .*Rope for Grace/, 'the order')
            return answer(say(`The form works: ${line}`))
          },
        },
      ],
    },
  ],
}

test('a model builds a form, finds its error in the console, mends it and checks it by clicking', async ({
  launch,
}) => {
  const { page, workspace } = await launch({
    files: { ...shop, ...hotReact },
    settings: { mode: 'yolo', toolset: 'blade' },
    scenario: builder,
  })
  server = await startVite(workspace)
  await runPalette(page, 'Open page preview')
  await expect(page.getByRole('textbox', { name: 'Address' })).toHaveValue(/^http:\/\/localhost:\d+\/$/)

  await send(page, `Build an order form, and try it at http://localhost:${server.port}/`)
  await expect(lastAnswer(page)).toContainText('The form works', { timeout: 60_000 })
  await expect(lastAnswer(page)).toContainText('Rope for Grace')

  await test.step('the cards show what the model saw', async () => {
    await cardIs(page, 'browser_console', 'done')
    await expect(await unfold(page, 'browser_wait')).toContainText('heading "Order your rope"')
    await expect(card(page, 'browser_click')).toHaveAttribute('data-state', 'done')
  })

  await test.step('the tab shows the same page', async () => {
    await readPage(page, 'Rope for Grace')
  })
})
