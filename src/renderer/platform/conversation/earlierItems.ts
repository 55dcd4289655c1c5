import { request } from '../bridge/bridge.ts'
import { addEarlier, useChat } from './chatStore.ts'

/** Loads up to `count` more items before the first loaded one. */
export async function loadEarlier(count: number): Promise<void> {
  const { info, order, earlier } = useChat.getState()
  const before = order[0]
  if (!info || before === undefined || earlier === 0 || count <= 0) return
  addEarlier(info.id, before, await request('conversations.earlier', { id: info.id, before, count }))
}
