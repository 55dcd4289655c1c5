import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { examineInstallation } from '../../core/examineInstallation.ts'
import type { Finding } from '../../core/finding.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parseDoctor } from './commandOptions.ts'

/**
 * `tizona doctor`: prints what was found, is missing or does not work, and the command that mends it.
 * @returns 1 if something that Tizona needs does not work
 * @throws UsageError
 */
export async function doctorCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { workspace, trust, models, json } = await parseDoctor(args)
  // Programs of the machine are looked for in a trusted folder without programs of its own.
  const empty = workspace === undefined ? await mkdtemp(join(tmpdir(), 'tizona-doctor-')) : undefined
  const core = await openCore(context, undefined, { trustWorkspace: trust || empty !== undefined })
  try {
    const { root } = await core.openWorkspace(workspace ?? empty ?? '.')
    const findings = await examineInstallation(
      core,
      { root, userData: context.userData, installation: context.installation },
      { askModels: models, signal: context.interrupted },
    )
    if (json) for (const finding of findings) context.output.json({ ...finding })
    else context.output.line(formatFindings(findings))
    return findings.some(({ state }) => state === 'wrong') ? exitCodes.failed : exitCodes.done
  } finally {
    await core.dispose()
    if (empty !== undefined) await rm(empty, { recursive: true, force: true })
  }
}

const marks = { ok: '+', missing: '-', wrong: '!' } as const

/** Formats findings as text, by group. */
function formatFindings(findings: readonly Finding[]): string {
  const lines: string[] = []
  for (const group of new Set(findings.map((finding) => finding.group))) {
    lines.push(...(lines.length === 0 ? [] : ['']), group)
    for (const { name, state, detail, fix } of findings.filter((finding) => finding.group === group)) {
      lines.push(`  ${marks[state]} ${name}: ${detail}`)
      if (fix !== undefined) lines.push(`      Fix: ${fix}`)
    }
  }
  const wrong = findings.filter(({ state }) => state === 'wrong').length
  const summary = wrong === 0 ? 'Tizona has all that it needs.' : `${plural(wrong, 'problem')}, marked with "!".`
  return visibleText([...lines, '', summary].join('\n'))
}
