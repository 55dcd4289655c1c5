import { expect, it } from 'vitest'
import {
  addOutput,
  finishedOutputs,
  noOutputs,
  readOutput,
  withDisplayId,
  type OutputMessage,
  type RunOutputs,
} from './outputs.ts'

const display = (data: Record<string, unknown>, metadata = {}): OutputMessage => ({
  output_type: 'display_data',
  data,
  metadata,
})
const all = (...messages: OutputMessage[]): RunOutputs => messages.reduce(addOutput, noOutputs)

it('leaves out data that is nested too deeply to be written', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(6000)}${']'.repeat(6000)}`)
  const output = readOutput({
    output_type: 'display_data',
    data: { 'application/json': deep, 'text/plain': 'x' },
    metadata: { deep, a: [[1]] },
  })
  expect(output).toEqual({ output_type: 'display_data', data: { 'text/plain': 'x' }, metadata: { a: [[1]] } })
})

it('limits updates of displays that are shown many times', () => {
  const shown = Array.from({ length: 1000 }, () => display({ 'text/plain': 'a' }, withDisplayId({}, 'd')))
  const before = all(...shown)
  const update = (text: string): OutputMessage => ({
    output_type: 'update',
    displayId: 'd',
    data: { 'text/plain': text },
    metadata: {},
  })
  expect(addOutput(before, update('b')).outputs[999]).toMatchObject({ data: { 'text/plain': 'b' } })
  const limited = addOutput(before, update('x'.repeat(1_000_000)))
  expect(limited).toMatchObject({ truncated: true, outputs: before.outputs })
  expect(addOutput(limited, update('x'.repeat(1_000_000)))).toBe(limited)
})

it('counts metadata, and cuts the message of an error', () => {
  const huge = 'x'.repeat(30_000_000)
  expect(all(display({ 'text/plain': 'a' }, { huge }))).toMatchObject({ outputs: [], truncated: true })
  const failed = all({ output_type: 'error', ename: 'ValueError', evalue: huge, traceback: [huge] })
  expect(failed.outputs).toEqual([
    { output_type: 'error', ename: 'ValueError', evalue: 'x'.repeat(10_000), traceback: [] },
  ])
})

it('stays the same once nothing more fits', () => {
  const text: OutputMessage = { output_type: 'stream', name: 'stdout', text: 'x'.repeat(600_000) }
  const full = all(text, text)
  expect(finishedOutputs(full)).toMatchObject([{ text: 'x'.repeat(1_000_000) }, { name: 'stderr' }])
  expect(addOutput(full, text)).toBe(full)
  expect(addOutput(full, { output_type: 'clear', wait: false })).toEqual(noOutputs)
})
