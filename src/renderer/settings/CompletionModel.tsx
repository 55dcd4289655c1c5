import { useEffect, useState } from 'react'
import type { CompletionTest } from '../../shared/completion.ts'
import { toFailure } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'
import { Button, Icon, Spinner } from '../ui/index.ts'
import { CompletionFiguresTable } from './CompletionFiguresTable.tsx'
import { ModelSelect } from './ModelSelect.tsx'
import { saveSetting } from './saveSetting.ts'
import type { SettingEditorProps } from './settingValues.ts'

type TestState =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'works'; result: CompletionTest }
  | { kind: 'failed'; message: string }

/** Select for the model of inline completion, with a test, and the figures of its suggestions. */
export function CompletionModel({ settings: { completion }, row: { declaration } }: SettingEditorProps) {
  const { model } = completion
  const [test, setTest] = useState<TestState>({ kind: 'none' })
  useEffect(() => setTest({ kind: 'none' }), [model?.endpointId, model?.model])

  async function runTest(): Promise<void> {
    if (!model) return
    setTest({ kind: 'busy' })
    try {
      setTest({ kind: 'works', result: await request('completion.test', model) })
    } catch (error) {
      const { message, next } = toFailure(error)
      setTest({ kind: 'failed', message: `${message} ${next}`.trim() })
    }
  }

  return (
    <>
      <div className="settings-with-button">
        <ModelSelect
          label={declaration.title}
          hint={declaration.description}
          value={model}
          onChange={(choice) => saveSetting({ completion: { ...completion, model: choice } })}
        />
        <Button disabled={model === null || test.kind === 'busy'} onClick={() => void runTest()}>
          Test completion
        </Button>
      </div>
      <CompletionTestResult test={test} />
      <CompletionFiguresTable />
    </>
  )
}

function CompletionTestResult({ test }: { test: TestState }) {
  switch (test.kind) {
    case 'none':
      return null
    case 'busy':
      return (
        <p className="endpoint-test" role="status">
          <Spinner label="Testing" /> Requesting a suggestion…
        </p>
      )
    case 'failed':
      return (
        <p className="endpoint-test endpoint-test-bad" role="alert">
          <Icon name="error" /> {test.message}
        </p>
      )
    case 'works': {
      const { form, ms, sample } = test.result
      return (
        <div role="status">
          <p className={`endpoint-test ${sample === '' ? 'endpoint-test-bad' : 'endpoint-test-good'}`}>
            <Icon name={sample === '' ? 'warning' : 'pass'} />
            {sample === ''
              ? `The model answered in ${ms} ms, but suggested nothing. Used: ${form}.`
              : `Works in ${ms} ms. Used: ${form}.`}
          </p>
          {sample !== '' && <pre className="completion-sample">{sample}</pre>}
        </div>
      )
    }
  }
}
