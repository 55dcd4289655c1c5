import { agentSchema, type AgentDefinition } from '../../../shared/agent/agents.ts'

/** The form's fields as text. */
export interface AgentDraft {
  name: string
  command: string
  /** One argument per line. */
  args: string
  /** `NAME=value`, one per line. */
  env: string
  /** One folder per line. */
  folders: string
  sandbox: boolean
}

/** Pure: fills the form's fields. */
export function draftOf(agent: AgentDefinition | undefined): AgentDraft {
  return {
    name: agent?.name ?? '',
    command: agent?.command ?? '',
    args: (agent?.args ?? []).join('\n'),
    env: Object.entries(agent?.env ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    folders: (agent?.folders ?? []).join('\n'),
    sandbox: agent?.sandbox ?? true,
  }
}

/** Pure: parses the form. @returns the agent, or what is wrong */
export function agentOf(draft: AgentDraft, id: string): { agent: AgentDefinition } | { problem: string } {
  const variables = lines(draft.env).map((line) => /^([^=]+)=(.*)$/.exec(line))
  const broken = variables.indexOf(null)
  if (broken >= 0) return { problem: `Enter variable ${broken + 1} as NAME=value.` }
  const parsed = agentSchema.safeParse({
    id,
    name: draft.name,
    command: draft.command,
    args: lines(draft.args),
    env: Object.fromEntries(variables.map((match) => [match?.[1]?.trim() ?? '', match?.[2] ?? ''])),
    folders: lines(draft.folders),
    sandbox: draft.sandbox,
  })
  if (parsed.success) return { agent: parsed.data }
  const [issue] = parsed.error.issues
  const field = String(issue?.path[0] ?? '')
  if (field === 'name') return { problem: 'Enter a name.' }
  if (field === 'command') return { problem: 'Enter a command.' }
  return { problem: field === 'env' ? 'A variable has an invalid name.' : `${field}: ${issue?.message ?? 'invalid'}.` }
}

/** Pure: formats an agent's command on one line. */
export function agentCommand({ command, args }: AgentDefinition): string {
  return [command, ...args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg)))].join(' ')
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
