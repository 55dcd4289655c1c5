import { useState } from 'react'
import {
  maxPatternLength,
  patternProblem,
  ruleDecisions,
  ruleDecisionTexts,
  ruleMatches,
  ruleMatchTexts,
  type ApprovalRule,
} from '../../../shared/tools/approvalRules.ts'
import { useWorkspace } from '../../platform/appState.ts'
import { Button, Select, TextField } from '../../ui/index.ts'
import { SettingsForm } from '../SettingsForm.tsx'

interface RuleFormProps {
  /** The rule to edit. Default: a new one. */
  rule?: ApprovalRule
  onSave: (rule: ApprovalRule) => void
  onCancel: () => void
}

/** Adds or edits a rule. */
export function RuleForm({ rule, onSave, onCancel }: RuleFormProps) {
  const workspace = useWorkspace()
  const [decision, setDecision] = useState(rule?.decision ?? 'allow')
  const [match, setMatch] = useState(rule?.match ?? 'prefix')
  const [pattern, setPattern] = useState(rule?.pattern ?? '')
  const [folder, setFolder] = useState(rule?.folder ?? null)
  const [submitted, setSubmitted] = useState(false)
  const problem = patternProblem(match, pattern)
  const folders = [...new Set([rule?.folder, workspace?.root])].filter((path) => typeof path === 'string')

  function submit(): void {
    setSubmitted(true)
    if (problem === undefined) onSave({ decision, match, pattern: pattern.trim(), folder })
  }

  return (
    <SettingsForm label={rule ? 'Edit rule' : 'New rule'} onSubmit={submit} onCancel={onCancel}>
      <div className="rule-choices">
        <Select
          label="Decision"
          value={decision}
          options={ruleDecisions.map((value) => ({ value, label: ruleDecisionTexts[value] }))}
          onChange={({ target }) => setDecision(ruleDecisions.find((value) => value === target.value) ?? decision)}
        />
        <Select
          label="Compare"
          value={match}
          options={ruleMatches.map((value) => ({ value, label: ruleMatchTexts[value].label }))}
          onChange={({ target }) => setMatch(ruleMatches.find((value) => value === target.value) ?? match)}
        />
        <Select
          label="Applies in"
          value={folder ?? ''}
          options={[
            { value: '', label: 'Every folder' },
            ...folders.map((path) => ({ value: path, label: path === workspace?.root ? 'This folder' : path })),
          ]}
          onChange={({ target }) => setFolder(target.value === '' ? null : target.value)}
        />
      </div>
      <TextField
        label="Command"
        hint={ruleMatchTexts[match].hint}
        error={submitted ? problem : undefined}
        value={pattern}
        maxLength={maxPatternLength}
        autoFocus
        className="rule-pattern"
        placeholder={match === 'form' ? 'npm run <name>' : 'npm test'}
        onChange={({ target }) => setPattern(target.value)}
      />
      {decision === 'allow' && match === 'prefix' && (
        <p className="settings-text">
          Whatever follows these words runs too, except where it names a secret file or a protected path.
        </p>
      )}
      <div className="endpoints-actions">
        <Button type="submit" variant="primary">
          {rule ? 'Save rule' : 'Add'}
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </SettingsForm>
  )
}
