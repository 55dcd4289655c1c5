import { useEffect } from 'react'
import { create } from 'zustand'
import type { ToolsetName } from '../../../shared/tools/risk.ts'
import type { ToolInfo } from '../../../shared/tools/tool.ts'
import { defaultToolset } from '../../../shared/tools/toolsetSuggestion.ts'
import { request } from '../bridge/bridge.ts'
import { useMcp } from '../mcpStore.ts'
import { useSettings } from '../appState.ts'
import { attempt } from '../notices.ts'
import { useChat } from './chatStore.ts'

interface ToolsState {
  toolset: ToolsetName | null
  tools: readonly ToolInfo[]
  byName: ReadonlyMap<string, ToolInfo>
}

/** The tools of the active toolset. */
export const useTools = create<ToolsState>()(() => ({ toolset: null, tools: [], byName: new Map() }))

async function loadTools(toolset: ToolsetName): Promise<void> {
  const tools = await request('tools.list', { toolset })
  const byName = new Map<string, ToolInfo>()
  for (const tool of tools) for (const name of [...tool.aliases, tool.name]) byName.set(name, tool)
  useTools.setState({ toolset, tools, byName })
}

/** Returns the open conversation's toolset, or else the default for new ones; undefined before settings are loaded. */
export function useToolset(): ToolsetName | undefined {
  const settings = useSettings()
  const own = useChat((state) => state.info?.toolset)
  return own ?? (settings ? defaultToolset(settings, settings.model?.model) : undefined)
}

/** Like `useToolset`. Also loads the tools into `useTools` and reloads them after changes. */
export function useActiveToolset(): ToolsetName | undefined {
  const settings = useSettings()
  const toolset = useToolset()
  // Serialized, so that the effect runs only if the tools of MCP servers changed.
  const mcpTools = useMcp(({ state }) =>
    JSON.stringify(
      state?.servers.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool.risk, tool.off, tool.fingerprint])),
    ),
  )
  // The list marks tools that these settings disable.
  const disabledBySettings = settings && JSON.stringify([settings.disabledTools, settings.web.enabled])
  useEffect(() => {
    if (toolset) attempt(() => loadTools(toolset), 'The tools could not be loaded')
  }, [toolset, disabledBySettings, mcpTools])
  return toolset
}
