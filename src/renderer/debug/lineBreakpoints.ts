import type { LineBreakpoint } from '../../shared/debug/debug.ts'
import { request } from '../platform/bridge/bridge.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { useDebug } from '../platform/debug/debugStore.ts'

/** Returns the breakpoints of a file. */
export function breakpointsOf(path: string): readonly LineBreakpoint[] {
  return useDebug.getState().breakpoints.lines.filter((each) => each.path === path)
}

/** Replaces a file's breakpoints, first in this window and then in main. */
export async function replaceBreakpoints(path: string, lines: readonly LineBreakpoint[]): Promise<void> {
  useDebug.setState(({ breakpoints }) => ({
    breakpoints: { ...breakpoints, lines: [...breakpoints.lines.filter((each) => each.path !== path), ...lines] },
  }))
  await request('debug.setLineBreakpoints', { path, breakpoints: [...lines] })
}

/** Adds a breakpoint to a line, or removes it. */
export async function toggleBreakpoint(path: string, line: number): Promise<void> {
  const lines = breakpointsOf(path)
  const others = lines.filter((each) => each.line !== line)
  const added: LineBreakpoint[] = others.length === lines.length ? [newBreakpoint(path, line)] : []
  await replaceBreakpoints(path, [...others, ...added])
}

const newBreakpoint = (path: string, line: number): LineBreakpoint => ({
  id: crypto.randomUUID(),
  path,
  line,
  enabled: true,
})

/** Enables or disables the breakpoint of a line. */
export async function enableBreakpoint(path: string, line: number, enabled: boolean): Promise<void> {
  await replaceBreakpoints(
    path,
    breakpointsOf(path).map((each) => (each.line === line ? { ...each, enabled } : each)),
  )
}

/** Texts of a breakpoint that the user can edit. */
export type BreakpointText = 'condition' | 'hitCondition' | 'logMessage'

const prompts: Record<BreakpointText, { title: string; label: string }> = {
  condition: { title: 'Conditional breakpoint', label: 'Break when this expression is true' },
  hitCondition: { title: 'Hit count', label: 'Break when this hit count condition is met' },
  logMessage: { title: 'Logpoint', label: 'Message to log instead of stopping. Expressions within {} are evaluated.' },
}

/**
 * Asks for one of a breakpoint's texts. Adds the breakpoint if the line has none. An empty text removes the condition,
 * hit count or message.
 */
export async function editBreakpoint(path: string, line: number, text: BreakpointText): Promise<void> {
  const lines = breakpointsOf(path)
  const present = lines.find((each) => each.line === line)
  const { title, label } = prompts[text]
  const answer = await promptText({
    title: `${title} at line ${line}`,
    label,
    button: 'Save',
    initial: present?.[text] ?? '',
    problem: (written) => (written.length > 2000 ? 'The text can have at most 2,000 characters.' : null),
  })
  if (answer === null) return
  const { [text]: _before, ...rest } = present ?? newBreakpoint(path, line)
  const changed = answer.trim() === '' ? rest : { ...rest, [text]: answer.trim() }
  await replaceBreakpoints(path, [...lines.filter((each) => each.line !== line), changed])
}
