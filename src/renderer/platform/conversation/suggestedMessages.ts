import { useEffect, useState } from 'react'
import type { SuggestedMessage } from '../../../shared/agent/promptCommands.ts'
import { useWorkspace } from '../appState.ts'
import { request } from '../bridge/bridge.ts'
import { attempt } from '../notices.ts'

/** Returns the messages that main suggests for the open folder; none until it has responded. */
export function useSuggestedMessages(): readonly SuggestedMessage[] {
  const root = useWorkspace()?.root
  const [tasks, setTasks] = useState<readonly SuggestedMessage[]>([])
  useEffect(() => {
    let current = true
    attempt(async () => {
      const suggested = await request('messages.suggest', {})
      if (current) setTasks(suggested)
    })
    return () => {
      current = false
    }
  }, [root])
  return tasks
}
