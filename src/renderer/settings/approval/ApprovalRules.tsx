import { type Ref, useState, useEffect } from 'react'
import {
  ruleDecisionTexts,
  ruleMatchTexts,
  maxRules,
  type ApprovalRule,
  maxPatternLength,
  patternProblem,
  ruleDecisions,
  ruleMatches,
} from '../../../shared/tools/approvalRules.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { Button, IconButton, Select, TextField } from '../../ui/index.ts'
import { saveSetting } from '../saveSetting.ts'
import { changeOf, type SettingEditorProps } from '../settingValues.ts'
import { useOpenForm } from '../useOpenForm.ts'
import './approvalRules.css'
import { request } from '../../platform/bridge/bridge.ts'
import { attempt } from '../../platform/notices.ts'
import type { Explanation, Verdict } from '../../../shared/tools/explanation.ts'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { modes, type Mode } from '../../../shared/tools/risk.ts'
import { useWorkspace } from '../../platform/appState.ts'
import { CommandExplanations } from '../../platform/approval/ExplanationView.tsx'
import { SettingsForm } from '../SettingsForm.tsx'

/** The user's command rules, the built-in read-only commands, and a field that explains a command. */
export function ApprovalRules({ settings, row }: SettingEditorProps) {
  const { rules } = settings.approval
  /** Index of the rule being edited, or `new`. */
  const { editing, open, close, opener } = useOpenForm()
  const save = (changed: ApprovalRule[]) => saveSetting(changeOf(settings, row, changed))
  const { title, description } = row.declaration
  return (
    <div className="rules" role="group" aria-label={title}>
      <h3 className="rules-title">{title}</h3>
      <p className="settings-text">{description}</p>
      {rules.length === 0 && editing === null && <p className="endpoints-none">You have no rules yet.</p>}
      <ul className="rules-list" aria-label="Your rules">
        {rules.map((rule, index) =>
          editing === String(index) ? (
            <li key={index}>
              <RuleForm
                rule={rule}
                onCancel={close}
                onSave={(changed) => {
                  save(rules.with(index, changed))
                  close()
                }}
              />
            </li>
          ) : (
            <RuleRow
              key={index}
              rule={rule}
              openerRef={opener(String(index))}
              onEdit={() => open(String(index))}
              onRemove={() => save(rules.toSpliced(index, 1))}
            />
          ),
        )}
      </ul>
      {editing === 'new' ? (
        <RuleForm
          onCancel={close}
          onSave={(added) => {
            save([...rules, added])
            close()
          }}
        />
      ) : (
        <div className="endpoints-actions">
          <Button ref={opener('new')} icon="add" disabled={rules.length >= maxRules} onClick={() => open('new')}>
            Add rule
          </Button>
        </div>
      )}
      <CommandCheck mode={settings.mode} rules={rules} />
      <BuiltInRules />
    </div>
  )
}

interface RuleRowProps {
  rule: ApprovalRule
  /** Ref of the button that calls `onEdit`. */
  openerRef: Ref<HTMLButtonElement>
  onEdit: () => void
  onRemove: () => void
}

function RuleRow({ rule, openerRef, onEdit, onRemove }: RuleRowProps) {
  const pattern = visibleText(rule.pattern)
  return (
    <li className="rule" data-decision={rule.decision}>
      <span className={`rule-decision rule-decision-${rule.decision}`}>{ruleDecisionTexts[rule.decision]}</span>
      <span className="rule-main">
        <code>
          {pattern}
          {rule.match === 'prefix' && ' …'}
        </code>
        <span className="rule-scope">
          {ruleMatchTexts[rule.match].label}
          {rule.folder !== null && ` · Folder: ${visibleText(rule.folder)}`}
        </span>
      </span>
      <IconButton ref={openerRef} icon="edit" label={`Edit the rule for ${pattern}`} onClick={onEdit} />
      <IconButton icon="trash" label={`Remove the rule for ${pattern}`} onClick={onRemove} />
    </li>
  )
}

/** The commands with a built-in read-only rule. Loads when the user opens the list. */
function BuiltInRules() {
  const [commands, setCommands] = useState<readonly string[] | null>(null)
  return (
    <details
      className="endpoint-advanced"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && commands === null)
          attempt(
            async () => setCommands(await request('approvals.builtIn', {})),
            'The built-in rules could not be listed',
          )
      }}
    >
      <summary>Built-in read-only commands</summary>
      <p className="settings-text">
        These commands run without approval in the modes Safe, Cautious and Plan if their options only read, and if
        their files are in the open folder and not secret.
      </p>
      {commands && (
        <ul className="rules-built-in" aria-label="Built-in read-only commands">
          {commands.map((command) => (
            <li key={command}>
              <code>{command}</code>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

const verdictTexts: Readonly<Record<Verdict, string>> = {
  allow: 'Runs without approval.',
  ask: 'Needs your approval.',
  refuse: 'Refused.',
}

/** Explains whether a command would run and which rules decide, without running it. */
function CommandCheck({ mode: current, rules }: { mode: Mode; rules: readonly ApprovalRule[] }) {
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

interface RuleFormProps {
  /** The rule to edit. Default: a new one. */
  rule?: ApprovalRule
  onSave: (rule: ApprovalRule) => void
  onCancel: () => void
}

/** Adds or edits a rule. */
function RuleForm({ rule, onSave, onCancel }: RuleFormProps) {
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
    <SettingsForm
      label={rule ? 'Edit rule' : 'New rule'}
      submit={rule ? 'Save rule' : 'Add'}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <div className="rule-choices">
        <Select
          label="Decision"
          value={decision}
          options={ruleDecisions.map((value) => ({ value, label: ruleDecisionTexts[value] }))}
          onChange={({ target }) => setDecision(ruleDecisions.find((value) => value === target.value) ?? decision)}
        />
        <Select
          label="Match"
          value={match}
          options={ruleMatches.map((value) => ({ value, label: ruleMatchTexts[value].label }))}
          onChange={({ target }) => setMatch(ruleMatches.find((value) => value === target.value) ?? match)}
        />
        <Select
          label="Applies in"
          value={folder ?? ''}
          options={[
            { value: '', label: 'Every folder' },
            ...folders.map((path) => ({
              value: path,
              label: path === workspace?.root ? (workspace.multiRoot ? 'This workspace' : 'This folder') : path,
            })),
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
          Anything that follows these words is allowed too, unless it names a secret file or a protected path.
        </p>
      )}
    </SettingsForm>
  )
}
