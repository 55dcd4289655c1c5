import { useEffect, useState } from 'react'
import type { ApprovalRule } from '../../../shared/tools/approvalRules.ts'
import type { Explanation, Verdict } from '../../../shared/agent/explanation.ts'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { modes, type Mode } from '../../../shared/tools/risk.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { useWorkspace } from '../../platform/appState.ts'
import { CommandExplanations } from '../../platform/approval/ExplanationView.tsx'
import { request } from '../../platform/bridge/bridge.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Select, TextField } from '../../ui/index.ts'

const verdictTexts: Readonly<Record<Verdict, string>> = {
  allow: 'Runs without approval.',
  ask: 'Needs your approval.',
  refuse: 'Is refused.',
}

/** Explains whether a command would run, and which rules decide. Does not run it. */
export function CommandCheck({ mode: current, rules }: { mode: Mode; rules: readonly ApprovalRule[] }) {
  const workspace = useWorkspace()
  const [command, setCommand] = useState('')
  const [mode, setMode] = useState(current)
  const [explanation, setExplanation] = useState<Explanation | null>(null)
  // Discard an explanation when the mode, rules or folder that it depends on change.
  useEffect(() => setExplanation(null), [command, mode, rules])
  if (workspace === null) return <p className="settings-text">Open a folder to check what a command would do there.</p>
  return (
    <form
      className="rule-check"
      aria-label="Check a command"
      onSubmit={(event) => {
        event.preventDefault()
        attempt(
          async () => setExplanation(await request('approvals.explain', { command, mode })),
          'The command could not be checked',
        )
      }}
    >
      <div className="rule-check-fields">
        <TextField
          label="Check a command"
          className="rule-pattern"
          placeholder="git log --oneline -5 | cat"
          value={command}
          onChange={({ target }) => setCommand(target.value)}
        />
        <Select
          label="Mode"
          value={mode}
          options={modes.map((value) => ({ value, label: modeTexts[value].label }))}
          onChange={({ target }) => setMode(modes.find((value) => value === target.value) ?? mode)}
        />
        <Button type="submit" disabled={command.trim() === ''}>
          Explain
        </Button>
      </div>
      <div role="status">
        {explanation && (
          <div className="rule-explanation">
            <p>
              <strong>{verdictTexts[explanation.verdict]}</strong> {visibleText(explanation.reason)}
            </p>
            <CommandExplanations explanation={explanation} />
          </div>
        )}
      </div>
    </form>
  )
}
