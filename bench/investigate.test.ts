import { expect, it } from 'vitest'
import { investigate, rightAmong } from './investigate.ts'
import { measured } from './questions.ts'

it('finds the right file among the first three for at least 18 of 20 questions, without a model', async () => {
  const answers = await investigate(measured)
  expect(answers).toHaveLength(20)
  const missed = answers
    .filter(({ place }) => place === 0 || place > 3)
    .map(({ question, files }) => `${question.ask} -> ${files.slice(0, 3).join(', ')}`)
  expect(rightAmong(answers, 3), missed.join('\n')).toBeGreaterThanOrEqual(18)
}, 120_000)
