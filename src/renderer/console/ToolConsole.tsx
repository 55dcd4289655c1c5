import { plural } from '../../shared/text/plural.ts'
import { useMemo, useState } from 'react'
import type { ToolInfo } from '../../shared/tools/tool.ts'
import { toolIcon } from '../platform/toolCalls/toolSummary.ts'
import { useActiveToolset, useTools } from '../platform/conversation/toolsStore.ts'
import { riskText, toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import { useWorkspace } from '../platform/appState.ts'
import { takePageFocus } from '../platform/layout/pages.tsx'
import { EmptyState, Icon, Select, TextField } from '../ui/index.ts'
import { ToolPage } from './ToolPage.tsx'
import './console.css'

/** Page that runs any tool of the active toolset, with the agent's executor and approvals. */
export function ToolConsole() {
  const toolset = useActiveToolset()
  const workspace = useWorkspace()
  const tools = useTools((state) => state.tools)
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const found = useMemo(() => matching(tools, query), [tools, query])
  const tool = tools.find(({ name }) => name === chosen) ?? tools[0]

  if (!workspace) {
    return (
      <EmptyState icon="tools" title="No folder is open">
        Open a folder to run tools.
      </EmptyState>
    )
  }
  return (
    <section className="console" aria-label="Tool console">
      <div className="console-layout">
        <nav className="console-tools" aria-label="Tools">
          <div className="console-search">
            <TextField
              ref={takePageFocus}
              data-autofocus
              label="Search tools"
              hideLabel
              placeholder={
                toolset
                  ? `Search ${plural(tools.length, 'tool')} in ${toolsetLabels[toolset]}`
                  : `Search ${plural(tools.length, 'tool')}`
              }
              type="search"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </div>
          <ul>
            {found.map((each) => (
              <li key={each.name}>
                <button
                  type="button"
                  className={`ui-list-button console-tool ${each.off ? 'console-tool-off' : ''}`}
                  aria-current={each.name === tool?.name}
                  title={each.description}
                  onClick={() => setChosen(each.name)}
                >
                  <Icon name={toolIcon(each.name)} />
                  <span className="console-tool-name">{each.name}</span>
                  {each.off ? (
                    <span className="console-risk">Off</span>
                  ) : (
                    <span className={`console-risk console-risk-${riskText(each).tone}`}>{each.risk}</span>
                  )}
                </button>
              </li>
            ))}
            {found.length === 0 && (
              <li className="console-none">{tools.length === 0 ? 'This toolset has no tools.' : 'No tool matches.'}</li>
            )}
          </ul>
        </nav>
        {tool && (
          <div className="console-choice">
            <Select
              label="Tool"
              value={tool.name}
              options={tools.map(({ name }) => ({ value: name, label: name }))}
              onChange={(event) => setChosen(event.target.value)}
            />
          </div>
        )}
        {tool && <ToolPage key={tool.name} tool={tool} />}
      </div>
    </section>
  )
}

function matching(tools: readonly ToolInfo[], query: string): readonly ToolInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return tools.filter((tool) => {
    const text = [tool.name, tool.title, ...tool.aliases].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
