import { randomBytes } from 'node:crypto'
import { Duplex } from 'node:stream'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { ToolError } from '../../../shared/errors.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { startFailure, startProcess } from '../../base/startProcess.ts'

/** A program that runs a command on a host, and passes its streams on: ssh, docker or wsl. */
export interface RemoteProgram {
  file: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
}

/**
 * The command on the host: a POSIX shell that runs each line that it reads. The login shell of the user only has to
 * understand single quotes, which sh, bash, zsh, fish, tcsh and nushell do. Scripts follow on standard input.
 */
export const shellCommand = '/bin/sh -c \'while IFS= read -r s; do eval "$s"; done\''

/** Maximum bytes that login scripts may print before the first answer, and of an answer. */
const maxOutput = 256 * 1024
const maxErrorText = 16 * 1024

/** A shell on a host, whose streams become those of the last program that it runs. */
export interface RemoteShell {
  /** Begins each answer, so that what login scripts print is not taken for one. */
  readonly marker: string
  /**
   * Runs one line of shell script, and sends bytes to it. Resolves with the fields of the first line that begins with
   * the marker: `printf '%s|name|field\n' "$M"` answers with `['name', 'field']`. `$M` is the marker.
   *
   * @throws ToolError if the program ends first
   */
  run(script: string, input?: AsyncIterable<Uint8Array>): Promise<string[]>
  /** Takes over the streams of what the shell runs last. */
  takeOver(): Duplex
  /** What the program has reported on standard error, without control characters. */
  errorText(): string
  end(): void
}

/** Starts a program that runs `shellCommand` on a host. @param signal ends it until it is taken over */
export function startRemoteShell(program: RemoteProgram, signal: AbortSignal): RemoteShell {
  const marker = `TIZONA-${randomBytes(12).toString('hex')}`
  const child = startProcess(program.file, program.args, {
    startedBy: 'tizona',
    ...(program.env && { env: program.env }),
  })
  let output: Buffer = Buffer.alloc(0)
  let errors = ''
  let failure: Error | null = null
  let waiting: { resolve(fields: string[]): void; reject(error: Error): void } | null = null

  const errorText = (): string => visibleText(errors.trim())
  const end = (): void => void child.kill('SIGTERM')
  signal.addEventListener('abort', end, { once: true })

  function fail(error: Error): void {
    failure ??= error
    waiting?.reject(failure)
    waiting = null
  }

  function readAnswer(): void {
    for (;;) {
      const lineEnd = output.indexOf(10)
      if (lineEnd === -1) break
      const line = output.toString('utf8', 0, lineEnd).trimEnd()
      // A prompt without a line end may precede the marker.
      const at = line.indexOf(`${marker}|`)
      if (waiting === null && at !== -1) return
      output = output.subarray(lineEnd + 1)
      if (at === -1) continue
      waiting?.resolve(line.slice(at + marker.length + 1).split('|'))
      waiting = null
      return
    }
    if (output.length > maxOutput) {
      fail(new ToolError('io_error', 'The host prints too much before it answers.', 'Check its login scripts.'))
      end()
    }
  }

  const onOutput = (chunk: Buffer): void => {
    output = output.length === 0 ? chunk : Buffer.concat([output, chunk])
    readAnswer()
  }
  child.stdout.on('data', onOutput)
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrorText)
  })
  child.stdin.on('error', () => undefined)
  child.once('error', (error) => fail(startFailure(program.file, error)))
  child.once('close', () => {
    const aborted = signal.aborted ? (signal.reason as Error) : null
    fail(aborted ?? new HostEnded(errorText()))
  })
  child.stdin.write(`M=${marker}\n`)

  return {
    marker,
    errorText,
    end,
    async run(script, input) {
      if (failure !== null) throw failure
      if (/[\n\r]/.test(script)) throw new Error('A script must be one line.')
      const answer = new Promise<string[]>((resolve, reject) => {
        waiting = { resolve, reject }
      })
      // Awaited below; the host may end while the input is sent.
      answer.catch(() => undefined)
      child.stdin.write(`${script}\n`)
      if (input !== undefined) await sendAll(child, input, answer)
      readAnswer()
      return answer
    },
    takeOver() {
      signal.removeEventListener('abort', end)
      child.stdout.off('data', onOutput)
      child.stdout.pause()
      const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
      if (output.length > 0) child.stdout.unshift(output)
      stream.once('close', end)
      child.once('close', () => stream.destroy())
      return stream
    },
  }
}

/** The program ended before the host answered. The message is what it reported. */
export class HostEnded extends Error {
  override readonly name = 'HostEnded'
}

/** Sends bytes, unless the host answers first: it does not read on after a failure. */
async function sendAll(
  child: ChildProcessWithoutNullStreams,
  input: AsyncIterable<Uint8Array>,
  answer: Promise<unknown>,
): Promise<void> {
  let isAnswered = false
  const answered = answer.then(
    () => void (isAnswered = true),
    () => void (isAnswered = true),
  )
  for await (const chunk of input) {
    if (isAnswered) return
    if (child.stdin.write(chunk)) continue
    await Promise.race([answered, new Promise((resolve) => child.stdin.once('drain', resolve))])
  }
}
