import { visibleText } from '../../shared/text/visibleText.ts'
import { useSettings } from '../platform/appState.ts'
import { isUsable, loadEndpoints, useEndpoints } from '../platform/models/endpointsStore.ts'
import { runCommand } from '../platform/commands.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { Button, Icon } from '../ui/index.ts'
import { useSuggestedMessages } from '../platform/conversation/suggestedMessages.ts'

/** Content of an empty conversation: suggested prompts, or how to set up a model if none is available. */
export function ChatWelcome() {
  const endpoints = useEndpoints((state) => state.endpoints)
  const loaded = useEndpoints((state) => state.loadedAt !== null)
  const busy = useEndpoints((state) => state.busy)
  const agentId = useChat((state) => state.info?.agent)
  const agent = useSettings()?.agents.find(({ id }) => id === agentId)
  const tasks = useSuggestedMessages()
  const usable = endpoints.some((status) => isUsable(status) && status.endpoint.kind !== 'tour')

  // An external agent brings its own model.
  if (loaded && !usable && agentId === undefined) {
    const problem = endpoints.find((status) => status.problem !== undefined)
    return (
      <div className="chat-welcome">
        <Icon name="plug" className="chat-welcome-icon" />
        <h3>No model is running yet</h3>
        <p>
          Tizona uses a model on your machine. Start Ollama, LM Studio, llama.cpp, vLLM or Jan, or enter the address of
          another server.
        </p>
        {problem && <p className="chat-welcome-problem">{problem.problem}</p>}
        <div className="chat-welcome-actions">
          <Button variant="primary" icon="checklist" onClick={() => runCommand('help.firstSteps')}>
            Set up a model
          </Button>
          <Button icon="compass" onClick={() => runCommand('tour.start')}>
            Take the scripted tour
          </Button>
          <Button icon="refresh" variant="ghost" disabled={busy} onClick={() => void loadEndpoints(true)}>
            {busy ? 'Searching…' : 'Search again'}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div className="chat-welcome">
      <Icon name="sparkle" className="chat-welcome-icon" />
      <h3>What do you want to work on?</h3>
      <p>
        {agent
          ? `${visibleText(agent.name)} works in this folder with its own model. You approve the risky calls that it reports, and review its changes.`
          : 'The model reads, searches and edits files and runs commands in this folder. You see every call and approve the risky ones.'}
      </p>
      <ul className="chat-suggestions">
        {tasks.map(({ icon, text }) => (
          <li key={text}>
            <button type="button" className="chat-suggestion" onClick={() => runCommand('chat.suggest', text)}>
              <Icon name={icon} />
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
