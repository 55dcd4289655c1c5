import type { Core } from '../../core.ts'

const never = new AbortController().signal

/** Path of the data folder in tests. It is fixed, because the store identifies workspaces by their real path. */
export const home = '/tmp/tizona-data-folder'
export const root = `${home}/project`
export const userData = `${home}/user`

/** Collects all answers about a data folder that a window can request. Later versions must give the same answers. */
export async function dataFolderAnswers(core: Core) {
  const { handlers } = core
  const state = await handlers['app.state']({}, never)
  const listed = await handlers['conversations.list']({}, never)
  const conversations = await Promise.all(
    listed.map(async ({ id }) => {
      const { info, items, queue } = await handlers['conversations.open']({ id }, never)
      const exported = JSON.parse(
        (await handlers['conversations.export']({ id, format: 'json' }, never)).text,
      ) as unknown
      const users = items.filter((item) => item.kind === 'user')
      const restorable = await Promise.all(
        users.map(async ({ id: itemId }) => handlers['conversations.restorePreview']({ id, itemId }, never)),
      )
      const calls = items.filter((item) => item.kind === 'tool')
      const fullResult = async (callId: string) => handlers['results.full']({ callId }, never)
      const fullResults = await Promise.all(calls.map(({ id: callId }) => fullResult(callId).catch(() => null)))
      return { info, items, queue, exported, restorable, fullResults }
    }),
  )
  const images = conversations
    .flatMap(({ items }) => items)
    .flatMap((item) => (item.kind === 'user' ? (item.attachments ?? []) : []))
    .filter((each) => each.kind === 'image')
  const { servers } = await handlers['mcp.state']({}, never)
  return {
    settings: state.settings,
    recents: state.recents,
    listed,
    conversations,
    found: await handlers['conversations.list']({ query: 'rename' }, never),
    images: await Promise.all(images.map(async ({ id }) => handlers['images.read']({ id }, never))),
    layout: await handlers['layout.load']({}, never),
    buffers: await handlers['buffers.list']({}, never),
    mcp: servers.map(({ key, name, origin, definition, state, inputs }) => ({
      key,
      name,
      origin,
      definition,
      state,
      inputs,
    })),
    workspace: state.workspace,
  }
}
