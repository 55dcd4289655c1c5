import { expect, test } from 'vitest'
import { calibrationsSchema, guidedCalibration, type CalibrationFile } from './guidedCalls.ts'

function memoryFile(): CalibrationFile {
  let value = calibrationsSchema.parse({})
  return {
    get value() {
      return value
    },
    update: (change) => Promise.resolve((value = change(value))),
  }
}

test('what is learned for guided turns is known after a restart, by model', async () => {
  const file = memoryFile()
  guidedCalibration(file, 'a').biases.set('prompt', [-1, -2])
  guidedCalibration(file, 'b').biases.set('prompt', [-3])
  await Promise.resolve()
  expect(guidedCalibration(file, 'a').biases.get('prompt')).toEqual([-1, -2])
  expect(guidedCalibration(file, 'a').biases.get('other')).toBeUndefined()
  expect(guidedCalibration(undefined, 'a').biases.get('prompt')).toBeUndefined()
})

test('only the latest 50 models are kept', async () => {
  const file = memoryFile()
  for (let at = 0; at < 60; at++) guidedCalibration(file, `m${at}`).biases.set('prompt', [at])
  await Promise.resolve()
  expect(Object.keys(file.value)).toHaveLength(50)
  expect(guidedCalibration(file, 'm59').biases.get('prompt')).toEqual([59])
})
