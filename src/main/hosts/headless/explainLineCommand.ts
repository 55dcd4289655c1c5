import type { Explanation } from '../../../shared/tools/explanation.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parseExplain } from './commandOptions.ts'

/** `tizona explain`: prints whether a command line would run, and why. Does not run it. @throws UsageError */
export async function explainLineCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { command, mode, workspace, json } = await parseExplain(args)
  const core = await openCore(context)
  try {
    await core.openWorkspace(workspace)
    const explanation = await core.handlers['approvals.explain']({ command, mode }, context.interrupted)
    if (json) context.output.json(explanation)
    else context.output.line(formatExplanation(explanation))
    return exitCodes.done
  } finally {
    await core.dispose()
  }
}

const verdicts = { allow: 'Runs without approval', ask: 'Needs approval', refuse: 'Refused' } as const
const marks = { allow: '+', ask: '?', refuse: '-' } as const

/** Formats an explanation as text, one line per command. */
function formatExplanation({ verdict, mode, reason, commands }: Explanation): string {
  const lines = commands.map(({ verdict: own, command, why }) => `  ${marks[own]} ${command}\n      ${why}`)
  return visibleText([`${verdicts[verdict]} (mode ${mode}). ${reason}`, ...lines].join('\n'))
}
