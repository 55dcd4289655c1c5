import { describe, expect, test } from 'vitest'
import type { TokenLikelihood } from '../../model/modelClient.ts'
import { chooseLine, candidateLines } from './chooseLine.ts'
import type { GuidedModel } from './guidedModel.ts'
import { emptyChange } from './questions.ts'

/** A model that continues with one of the tokens, by what its answer begins with. */
function modelOf(next: (begun: string, hasTask: boolean) => Record<string, number> | undefined): GuidedModel {
  return {
    tokens: (messages, begun) => {
      const likelihoods = next(begun, !messages.at(-1)?.content.endsWith(emptyChange))
      return Promise.resolve(
        likelihoods &&
          Object.entries(likelihoods).map(([token, share]): TokenLikelihood => ({ token, logprob: Math.log(share) })),
      )
    },
    likelihoods: () => Promise.reject(new Error('not used')),
    fill: () => Promise.reject(new Error('not used')),
    async *write() {},
    async *talk() {},
    end: () => Promise.resolve(),
    endString: () => Promise.resolve(undefined),
    takeUsage: () => undefined,
  }
}

const file = { path: 'a.cfg', text: 'HOST = a\nPORT = 1\nPORTS = 2\n', task: 'Set PORT to 5.' }

describe('the line to change', () => {
  test('is the one that the task makes more likely, not the likeliest one', async () => {
    const model = modelOf((_, hasTask) => (hasTask ? { HOST: 0.6, PO: 0.3 } : { HOST: 0.8, PO: 0.05 }))
    expect(await chooseLine(model, { ...file, lines: ['HOST = a', 'PORT = 1'] })).toBe('PORT = 1')
  })

  test('is found where lines begin alike', async () => {
    const begun: string[] = []
    const model = modelOf((at, hasTask) => {
      begun.push(at)
      return hasTask ? { ' = 1': 0.2, S: 0.7 } : { ' = 1': 0.01, S: 0.9 }
    })
    expect(await chooseLine(model, { ...file, lines: ['PORT = 1', 'PORTS = 2'] })).toBe('PORT = 1')
    expect(begun[0]).toMatch(/"old":"PORT$/)
  })

  test('needs no request if there is only one', async () => {
    const model = modelOf(() => {
      throw new Error('not used')
    })
    expect(await chooseLine(model, { ...file, lines: ['PORT = 1'] })).toBe('PORT = 1')
  })

  test('is unknown without likelihoods', async () => {
    expect(
      await chooseLine(
        modelOf(() => undefined),
        { ...file, lines: ['HOST = a', 'PORT = 1'] },
      ),
    ).toBeUndefined()
  })

  test('is one of the lines if the model would write none of them', async () => {
    const lines = ['HOST = a', 'PORT = 1', 'x']
    expect(
      lines.includes(
        (await chooseLine(
          modelOf(() => ({ '"': 1 })),
          { ...file, lines },
        )) ?? '',
      ),
    ).toBe(true)
  })
})

describe('the lines on offer', () => {
  test('share rare words with the task', () => {
    expect(candidateLines('let a = 1\n  let port = 2\nlet c = 3\n', 'let port be 9', 'x.txt')).toEqual(['let port = 2'])
  })

  test('include the line of a name although another line has the new text too, in other letters', () => {
    const text = 'NAME = "world"\nprint("Hello " + NAME)\n'
    expect(candidateLines(text, 'Change NAME to hello', 'app.py')).toContain('NAME = "world"')
  })

  test('are all lines, once and without indentation, if none shares a word', () => {
    expect(candidateLines('  a\n\nb\na\n', 'Ändere die Farbe.', 'x.txt')).toEqual(['a', 'b'])
  })

  test('of a long file with common words are found in linear time', () => {
    const text = Array.from({ length: 200_000 }, (_, at) => `the line ${at} of the file`).join('\n')
    expect(candidateLines(text, 'the line 77 of the file', 'x.txt')).toContain('the line 77 of the file')
  })

  test('are at most 80', () => {
    const text = Array.from({ length: 500 }, (_, at) => `line${at}x`).join('\n')
    expect(candidateLines(text, 'Do it.', 'x.txt')).toHaveLength(80)
  })
})
