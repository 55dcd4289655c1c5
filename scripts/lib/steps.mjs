import { spawn } from 'node:child_process'
import { root, toolEnvironment } from './paths.mjs'

/** A failed step of the set-up. The message is the reason. */
export class StepError extends Error {
  /**
   * @param {string} step e.g. "Installing the dependencies"
   * @param {string} reason why it failed
   * @param {string} hint what the user can do about it
   */
  constructor(step, reason, hint) {
    super(reason)
    this.step = step
    this.hint = hint
  }
}

/** Prints a line to standard error, because standard output belongs to the programs that the scripts start. */
export function say(text) {
  process.stderr.write(`${text}\n`)
}

/** Prints a failure, with a stack only for bugs in the scripts. @returns the exit code */
export function explain(error) {
  if (error instanceof StepError)
    say(`\n${error.step} failed.\n${indent(error.message)}\nWhat to do:\n${indent(error.hint)}`)
  else
    say(
      `\nA script of Tizona failed. This is a bug; please report it:\n${error instanceof Error ? error.stack : error}`,
    )
  return 1
}

const indent = (text) =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')

/** Runs a step. Prints its name, and the elapsed time every 10 s. */
export async function step(name, work) {
  const started = Date.now()
  say(`${name}…`)
  const timer = setInterval(() => say(`  ${Math.round((Date.now() - started) / 1000)} s`), 10_000)
  try {
    return await work(name)
  } finally {
    clearInterval(timer)
    const seconds = (Date.now() - started) / 1000
    if (seconds >= 1) say(`  ${seconds.toFixed(0)} s`)
  }
}

/**
 * Runs a program to its end and returns its output instead of printing it.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeout?: number, shell?: boolean }} [options] timeout in
 *   milliseconds
 * @returns {Promise<{ code: number, output: string }>} `code` is -1 if the program could not be started or was killed
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

/**
 * Runs a program in this terminal.
 * @returns {Promise<number>} its exit code, or 128 + the number of the signal that ended it
 */
export function attached(command, args, { cwd = root, env = toolEnvironment() } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
    // The terminal sends Ctrl+C to the child as well, so only its end is awaited. Other signals must be forwarded.
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
 * Calls `onGone` when the parent process of an npm script ends. npm runs scripts in a shell, and only that shell
 * receives the signal that ends npm. A script that was not started by npm can outlive its shell.
 */
export function watchParent(onGone) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return undefined
  const parent = process.ppid
  return setInterval(() => {
    if (process.ppid !== parent) onGone()
  }, 500)
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

/** Returns the last lines of a program's output that are not empty. */
export function lastLines(output, count = 15) {
  return output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .slice(-count)
    .join('\n')
}
