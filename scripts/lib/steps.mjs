import { spawn } from 'node:child_process'
import { root, toolEnvironment } from './paths.mjs'

/** A step of the set-up failed: which one, why, and what the user can do about it. */
export class StepError extends Error {
  /**
   * @param {string} step e.g. "Installing the dependencies"
   * @param {string} reason
   * @param {string} remedy
   */
  constructor(step, reason, remedy) {
    super(reason)
    this.step = step
    this.remedy = remedy
  }
}

/** Everything the scripts say goes to standard error: standard output belongs to what they start. */
export function say(text) {
  process.stderr.write(`${text}\n`)
}

/** Prints a failure in words; a stack only for a mistake of ours. @returns the exit code */
export function explain(error) {
  if (error instanceof StepError)
    say(`\n${error.step} failed.\n${indent(error.message)}\nWhat to do:\n${indent(error.remedy)}`)
  else
    say(
      `\nThe scripts themselves failed, which is a mistake in Tizona. Please report this:\n${error instanceof Error ? error.stack : error}`,
    )
  return 1
}

const indent = (text) =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')

/** Runs a step under a visible heading, with a sign of life while it lasts. */
export async function step(name, work) {
  const started = Date.now()
  say(`${name}…`)
  const life = setInterval(() => say(`  ${Math.round((Date.now() - started) / 1000)} s`), 10_000)
  try {
    return await work(name)
  } finally {
    clearInterval(life)
    const seconds = (Date.now() - started) / 1000
    if (seconds >= 1) say(`  ${seconds.toFixed(0)} s`)
  }
}

/**
 * Runs a program to its end and returns its output. It may be shown only when it failed.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeout?: number, shell?: boolean }} [options] timeout in milliseconds
 * @returns {Promise<{ code: number, output: string }>} `code` is -1 when it could not be started or was ended
 */
export function capture(command, args, { cwd = root, env = toolEnvironment(), timeout, shell } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      timeout,
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-100_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', (error) => resolve({ code: -1, output: error.message }))
    child.once('close', (code) => resolve({ code: code ?? -1, output }))
  })
}

/** Runs a program on this terminal. @returns {Promise<number>} its exit code, 128 + the signal's number when one ended it */
export function attached(command, args, { cwd = root, env = toolEnvironment() } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
    // Ctrl+C reaches the child by itself; we wait for it to end. A TERM reaches only us.
    const ignore = () => {}
    const forward = () => child.kill('SIGTERM')
    process.on('SIGINT', ignore)
    process.on('SIGTERM', forward)
    process.on('SIGHUP', forward)
    const orphaned = watchParent(forward)
    const done = () => {
      clearInterval(orphaned)
      process.off('SIGINT', ignore)
      process.off('SIGTERM', forward)
      process.off('SIGHUP', forward)
    }
    child.once('error', (error) => {
      done()
      reject(error)
    })
    child.once('close', (code, signal) => {
      done()
      resolve(code ?? 128 + (signalNumbers[signal] ?? 0))
    })
  })
}

/**
 * npm runs a script through a shell, and when npm is told to end only that shell hears of it. Being handed to another
 * parent is the one sign we get. A script that was started by hand may well outlive its shell.
 */
export function watchParent(gone) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return undefined
  const parent = process.ppid
  return setInterval(() => {
    if (process.ppid !== parent) gone()
  }, 500)
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

/** The last lines of a program's output that say something. */
export function lastLines(output, count = 15) {
  return output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .slice(-count)
    .join('\n')
}
