import type { Ref } from 'react'
import { ruleDecisionTexts, ruleMatchTexts, maxRules, type ApprovalRule } from '../../../shared/tools/approvalRules.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { Button, IconButton } from '../../ui/index.ts'
import { saveSetting } from '../saveSetting.ts'
import { changeOf, type SettingEditorProps } from '../settingValues.ts'
import { useOpenForm } from '../useOpenForm.ts'
import { BuiltInRules } from './BuiltInRules.tsx'
import { CommandCheck } from './CommandCheck.tsx'
import { RuleForm } from './RuleForm.tsx'
import './approvalRules.css'

/** The user's rules for commands, the built-in read-only commands, and a field that explains a command. */
export function ApprovalRules({ settings, row }: SettingEditorProps) {
  const { rules } = settings.approval
  /** Edits an index of a rule, or `new`. */
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
          {rule.folder !== null && ` · only in ${visibleText(rule.folder)}`}
        </span>
      </span>
      <IconButton ref={openerRef} icon="edit" label={`Edit the rule for ${pattern}`} onClick={onEdit} />
      <IconButton icon="trash" label={`Remove the rule for ${pattern}`} onClick={onRemove} />
    </li>
  )
}
