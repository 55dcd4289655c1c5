import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { settingsSchema } from '../../src/shared/settings/settings.ts'
import { expect, test } from '../support/app.ts'
import { editor, openFile } from '../support/window.ts'

/** A JavaScript server that reports the first word of each file. */
const scriptServer = `
let received = Buffer.alloc(0)
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body)
}
process.stdin.on('data', (chunk) => {
  received = Buffer.concat([received, chunk])
  for (;;) {
    const end = received.indexOf('\\r\\n\\r\\n')
    const length = Number(/Content-Length: (\\d+)/.exec(received.subarray(0, Math.max(end, 0)).toString())?.[1])
    if (end < 0 || received.length < end + 4 + length) return
    const { id, method, params } = JSON.parse(received.subarray(end + 4, end + 4 + length).toString())
    received = received.subarray(end + 4 + length)
    if (method === 'textDocument/didOpen') {
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } }
      const { uri } = params.textDocument
      send({ method: 'textDocument/publishDiagnostics', params: { uri, diagnostics: [{ range, message: 'Runs as ' + process.type }] } })
    } else if (id !== undefined) send({ id, result: { capabilities: { textDocumentSync: 1 } } })
  }
})
`

test('a JavaScript language server that Tizona installed runs in a utility process, with its streams over messages, where there is no sandbox', async ({
  launch,
}) => {
  const { page } = await launch({
    files: { 'notes.yaml': 'word: 1\n' },
    settings: { commands: { ...settingsSchema.parse({}).commands, sandbox: false } },
    async prepare(workspace) {
      const file = join(
        workspace,
        '../user/language-servers/yaml-language-server/node_modules/yaml-language-server/bin/yaml-language-server',
      )
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, scriptServer)
    },
  })
  await openFile(page, 'notes.yaml')
  await expect(editor(page).locator('.squiggly-error')).toHaveCount(1)
  await page.keyboard.press('F8')
  await expect(editor(page)).toContainText('Runs as utility')
})
