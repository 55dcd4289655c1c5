import type { ReactNode } from 'react'
import {
  inheritedModel,
  type PluginAgent,
  type PluginContents,
  type PluginServer,
} from '../../../shared/plugins/plugins.ts'
import { visibleCommand, visibleText } from '../../../shared/text/visibleText.ts'
import { UnusedParts } from '../UnusedParts.tsx'

/** Everything that a plug-in brings: programs with their commands first, then texts for the model. */
export function PluginParts({ name, contents }: { name: string; contents: PluginContents }) {
  const { hooks, servers, prompts, skills, agents, notUsed } = contents
  return (
    <div className="plugin-parts" role="group" aria-label={`Parts of ${name}`}>
      <Parts title="Hooks">
        {hooks.map(({ event, matcher, command, timeout }, index) => (
          <li key={index}>
            {matcher === '' ? event : `${event} (${matcher})`}
            <span className="extension-muted">{` at most ${timeout} s`}</span>
            <code>{visibleCommand(command)}</code>
          </li>
        ))}
      </Parts>
      <Parts title="MCP servers">
        {servers.map((server) => (
          <li key={server.name}>
            {`${name}:${server.name}`}
            <code>{visibleCommand(serverText(server))}</code>
          </li>
        ))}
      </Parts>
      <Parts title="Prompts">
        {prompts.map((prompt) => (
          <Text key={prompt.file} title={`/${name}:${prompt.name}`} description={prompt.description} />
        ))}
      </Parts>
      <Parts title="Skills">
        {skills.map((skill) => (
          <Text key={skill.file} title={`${name}:${skill.name}`} description={skill.description} />
        ))}
      </Parts>
      <Parts title="Sub-agents">
        {agents.map((agent) => (
          <Text
            key={agent.file}
            title={`${name}:${agent.name}`}
            description={agent.tools ? `${agent.description} (${agent.tools.join(', ')})` : agent.description}
            note={modelNote(agent)}
          />
        ))}
      </Parts>
      <UnusedParts parts={notUsed} />
    </div>
  )
}

function Parts({ title, children }: { title: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <div>
      <h3 className="plugin-kind">{title}</h3>
      <ul aria-label={title}>{children}</ul>
    </div>
  )
}

/** What comes of the model that a sub-agent names. */
function modelNote({ model }: PluginAgent): string {
  if (model === undefined) return ''
  if (model === inheritedModel)
    return 'It runs on the model of the conversation, unless Settings has a model for sub-agents.'
  return `It runs on ${visibleText(model)} if the server of the conversation or one on this machine offers it, otherwise on the model of the conversation. A model for sub-agents in Settings is used instead.`
}

function Text({ title, description, note = '' }: { title: string; description: string; note?: string }) {
  return (
    <li>
      {title}
      <span className="extension-muted">{` ${description}`}</span>
      {note !== '' && <p className="extension-muted">{note}</p>}
    </li>
  )
}

/** The whole command line or address of a server, with its variables and headers. */
function serverText({ definition }: PluginServer): string {
  const named = definition.type === 'http' ? definition.headers : definition.env
  const values = Object.entries(named).map(([key, value]) => `${key}=${value}`)
  return definition.type === 'http'
    ? [definition.url, ...values].join(' ')
    : [...values, definition.command, ...definition.args].join(' ')
}
