import { useEffect, useState } from 'react'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { CompletionTest } from '../../shared/editor/inlineCompletion.ts'
import { toFailure } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'
import { Button, Icon } from '../ui/index.ts'
import { ModelSelect } from './ModelSelect.tsx'
import { saveSetting } from './saveSetting.ts'
import { TestFailed, TestRunning } from './TestProgress.tsx'
import type { SettingEditorProps } from './settingValues.ts'

type TestState =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'works'; result: CompletionTest }
  | { kind: 'failed'; message: string }

export function CompletionModel({ settings: { completion }, row: { declaration } }: SettingEditorProps) {
  return (
    <TestedModel
      declaration={declaration}
      model={completion.model}
      testLabel="Test completion"
      onChange={(model) => saveSetting({ completion: { ...completion, model } })}
      test={(model) => request('completion.test', model)}
    />
  )
}

export function NextEditModel({ settings: { completion }, row: { declaration } }: SettingEditorProps) {
  return (
    <TestedModel
      declaration={declaration}
      model={completion.nextEditModel}
      testLabel="Test next edit"
      onChange={(nextEditModel) => saveSetting({ completion: { ...completion, nextEditModel } })}
      test={(model) => request('completion.testNextEdit', model)}
    />
  )
}

interface TestedModelProps {
  declaration: SettingEditorProps['row']['declaration']
  model: ModelChoice | null
  testLabel: string
  onChange: (model: ModelChoice | null) => void
  test: (model: ModelChoice) => Promise<CompletionTest>
}

function TestedModel({ declaration, model, testLabel, onChange, test: requestTest }: TestedModelProps) {
  const [test, setTest] = useState<TestState>({ kind: 'none' })
  useEffect(() => setTest({ kind: 'none' }), [model?.endpointId, model?.model])

  async function runTest(): Promise<void> {
    if (!model) return
    setTest({ kind: 'busy' })
    try {
      setTest({ kind: 'works', result: await requestTest(model) })
    } catch (error) {
      const { message, next } = toFailure(error)
      setTest({ kind: 'failed', message: `${message} ${next}`.trim() })
    }
  }

  return (
    <div className="settings-tested">
      <div className="settings-with-button">
        <ModelSelect
          label={declaration.title}
          hint={declaration.description}
          value={model}
          modelsOf={({ models, baseModels = [] }) => [...models.map(({ id }) => id), ...baseModels]}
          onChange={onChange}
        />
        <Button disabled={model === null || test.kind === 'busy'} onClick={() => void runTest()}>
          {testLabel}
        </Button>
      </div>
      <CompletionTestResult test={test} />
    </div>
  )
}

function CompletionTestResult({ test }: { test: TestState }) {
  switch (test.kind) {
    case 'none':
      return null
    case 'busy':
      return <TestRunning text="Requesting a suggestion…" />
    case 'failed':
      return <TestFailed message={test.message} />
    case 'works': {
      const { form, ms, sample } = test.result
      return (
        <div role="status">
          <p className={`endpoint-test ${sample === '' ? 'endpoint-test-bad' : 'endpoint-test-good'}`}>
            <Icon name={sample === '' ? 'warning' : 'pass'} />
            {sample === ''
              ? `The model responded in ${ms} ms (${form}), but suggested nothing.`
              : `The model responded in ${ms} ms (${form}).`}
          </p>
          {sample !== '' && <pre className="completion-sample">{sample}</pre>}
        </div>
      )
    }
  }
}
