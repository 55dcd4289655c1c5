import { createContext, Script } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import {
  maxMatchedText,
  type Expression,
  type JudgedExpression,
} from '../../../shared/extensions/languageConfiguration.ts'
import { attackTexts } from './attackTexts.ts'
import { matchExponent, readsSomething } from './matchTime.ts'

// Entry of the worker that judges regular expressions (judgeExpressions.ts). Its process has a time limit of its own.

/** Milliseconds that a match may take: a frame of a window with 60 per second. */
const frameMs = 16
/** Milliseconds after which a match is ended, also if the machine is busy. */
const matchMs = 250
/** Milliseconds for all texts of one expression. */
const expressionMs = 1000

const context = createContext({ expression: null as RegExp | null, text: '' })
const match = new Script('expression.exec(text)')

/** Returns the milliseconds of processor time of one match; infinite if it was ended. */
function time(expression: RegExp, text: string): number {
  context['expression'] = expression
  context['text'] = text
  const before = process.threadCpuUsage()
  try {
    match.runInContext(context, { timeout: matchMs })
  } catch {
    return Number.POSITIVE_INFINITY
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Whether every text takes less than a frame. A slow match is repeated, because the first one compiles the expression. */
function isFast({ pattern, flags }: Expression): boolean {
  const expression = new RegExp(pattern, flags)
  const end = performance.now() + expressionMs
  for (const text of attackTexts(pattern, flags, maxMatchedText)) {
    const isSlow = [0, 1, 2].every(() => time(expression, text) > frameMs)
    if (isSlow) return false
    if (performance.now() > end) return true
  }
  return true
}

/** A match takes at most quadratic time: a million steps for the longest text that the guard allows, if there is one. */
const isProved = ({ pattern, flags, anyLength = false, neverEmpty = false }: JudgedExpression): boolean =>
  matchExponent(pattern, flags) <= (anyLength ? 1 : 2) && (!neverEmpty || readsSomething(pattern, flags))

// Only judgeExpressions.ts starts this file, with expressions as data.
parentPort?.postMessage(
  (workerData as JudgedExpression[]).map((expression) => isProved(expression) && isFast(expression)),
)
