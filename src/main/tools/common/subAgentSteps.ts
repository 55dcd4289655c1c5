import { mainArgument, parseArguments } from '../../../shared/tools/callArguments.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { CallLine } from '../../../shared/tools/tool.ts'
import { PartialFailure } from './callOutcome.ts'
import type { SubAgentTask, ToolContext } from './toolDefinition.ts'

/** Collects the calls of a sub-agent for the card of its call. */
export interface SubAgentSteps extends Pick<SubAgentTask, 'onCall' | 'onResult'> {
  /** The calls that have ended. */
  readonly calls: CallLine[]
  /** Text for the user, shown below the calls. */
  note: string | undefined
  /** Describes to the model what the calls may have changed; '' if nothing. */
  changes(): string
  /** Adds the calls to the error that ended the sub-agent. */
  failure(error: unknown): unknown
}

/** Maximum number of changes to name to the model. */
const maxNamed = 20

/** @param progress shows each call while it runs */
export function collectSteps(progress: ToolContext['progress']): SubAgentSteps {
  const calls: CallLine[] = []
  const changed = new Set<string>()
  const ran = new Set<string>()
  const unfinished = new Set<string>()
  const changes = (): string => {
    const parts = [named('changed', changed), named('ran', ran), named('did not finish', unfinished)].filter(Boolean)
    return parts.length === 0 ? '' : `Until then the sub-agent ${parts.join('; ')}.`
  }
  return {
    calls,
    note: undefined,
    onCall: (name, written) =>
      progress({ kind: 'text', text: `${callText(name, parseArguments(written) ?? written)}\n` }),
    onResult(line, mayHaveChanged) {
      calls.push(line)
      if (!mayHaveChanged) return
      if (line.view.kind === 'diff') for (const file of line.view.files) changed.add(file.path)
      else (line.ok ? ran : unfinished).add(callText(line.tool, line.arguments))
    },
    changes,
    failure: (error) => (calls.length === 0 ? error : new PartialFailure(error, changes(), { kind: 'calls', calls })),
  }
}

function named(verb: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return ''
  const more = names.size > maxNamed ? ` and ${names.size - maxNamed} more` : ''
  return `${verb} ${[...names].slice(0, maxNamed).join(', ')}${more}`
}

/** Returns the name of a tool and the most informative argument of its call. */
function callText(tool: string, values: Record<string, unknown> | string): string {
  const argument = typeof values === 'string' ? values : mainArgument(values)
  return argument === '' ? tool : `${tool} ${argument}`
}

/** Warns the user about the cost of a sub-agent on a server with one slot. */
export function lostPromptNote(tokens: number): string {
  return `The model server has one slot, so it may read the conversation again (${plural(tokens, 'token')}). Start llama-server with -np 2 or --slot-save-path to avoid this.`
}
