import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCore } from '../core.ts'
import { hideSecret } from '../base/log/redact.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

const never = new AbortController().signal

it('an exported conversation contains no key of this installation', async () => {
  const folder = await temporaryFolder({ 'workspace/a.txt': 'a', 'user/': '' })
  const core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(folder.root, 'user'),
      resources: join(import.meta.dirname, '../../../resources'),
    },
  })
  try {
    hideSecret('zq-"quoted"-key-of-the-user')
    await core.openWorkspace(join(folder.root, 'workspace'))
    const { handlers } = core
    const { info } = await handlers['conversations.create']({}, never)
    const ended = new Promise<void>((resolve) => {
      core.subscribe((name) => name === 'conversation.turnEnded' && resolve())
    })
    // There is no model, so the turn only stores the message.
    await handlers['conversations.send'](
      { id: info.id, text: 'Use zq-"quoted"-key-of-the-user, password=example1' },
      never,
    )
    await ended
    const text = async (format: 'json' | 'markdown') =>
      (await handlers['conversations.export']({ id: info.id, format }, never)).text
    expect(await text('json')).toContain('Use [hidden], password=example1')
    expect(await text('json')).not.toContain('key-of-the-user')
    expect(await text('markdown')).toContain('Use [hidden], password=[hidden]')
  } finally {
    await core.dispose()
    await folder.remove()
  }
})
