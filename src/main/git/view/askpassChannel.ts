import { randomBytes } from 'node:crypto'
import { constants, open } from 'node:fs'
import { mkdir, open as openFile, readdir, rm, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeFolder } from '../../base/makeFolder.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { log } from '../../base/log/log.ts'
import { runProgram } from '../../base/startProcess.ts'

/** A prompt from the helper program that git and ssh start. */
export interface AskpassQuestion {
  /** Value of TIZONA_ASKPASS_TOKEN in the environment of the prompting process. */
  token: string
  prompt: string
  /** Replies once. Null makes the helper fail, which git and ssh treat as cancelled. */
  reply(answer: string | null): void
}

export interface AskpassChannel {
  /** Absolute path of the helper program. */
  program: string
  close(): Promise<void>
}

/**
 * The helper is a shell script, because the packaged application cannot run its own scripts. It writes its prompt to
 * one named pipe and reads the reply from another, so that a password is never in a file. Writes of less than PIPE_BUF
 * bytes are not interleaved.
 */
const script = `#!/bin/sh
# Passes a question of git or ssh to Tizona and prints the answer.
[ "$SSH_ASKPASS_PROMPT" = none ] && exit 0
folder=\${0%/*}
answer=$folder/answer.$$
trap 'rm -f "$answer"' EXIT
trap 'exit 1' HUP INT TERM
mkfifo -m 600 "$answer" || exit 1
printf '%s\\0%s\\0%.900s\\0' "$TIZONA_ASKPASS_TOKEN" "$$" "$1" > "$folder/question" || exit 1
IFS= read -r reply < "$answer" || exit 1
case $reply in
  y*) printf '%s\\n' "\${reply#y}" ;;
  *) exit 1 ;;
esac
`

/** Milliseconds that the helper has from its prompt to reading the reply. */
const readerTimeout = 5000

/**
 * Creates a private folder with the helper and its pipe.
 * @param userData user data folder, which only the user can read
 */
export async function createAskpassChannel(
  userData: string,
  onQuestion: (question: AskpassQuestion) => void,
): Promise<AskpassChannel> {
  const parent = path.join(userData, 'askpass')
  await makeFolder(parent)
  await removeStale(parent)
  const folder = path.join(parent, `${process.pid}-${randomBytes(8).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 })
  const program = path.join(folder, 'ask')
  const question = path.join(folder, 'question')
  await writeFile(program, script, { mode: 0o700 })
  await runProgram('mkfifo', ['-m', '600', question])
  // Opened for writing as well, so that it does not end when a helper closes it.
  const fd = await promisify(open)(question, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd, readable: true, writable: false })
  socket.unref()
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    const fields = (rest + text).split('\0')
    rest = fields.pop() ?? ''
    // A record has three fields. An incomplete one waits.
    const complete = fields.length - (fields.length % 3)
    for (let at = 0; at < complete; at += 3) {
      const [token = '', pid = '', prompt = ''] = fields.slice(at, at + 3)
      if (!/^\d+$/.test(pid)) continue
      const reply = (answer: string | null) => void sendAnswer(path.join(folder, `answer.${pid}`), answer)
      onQuestion({ token, prompt, reply })
    }
    rest = [...fields.slice(complete), rest].join('\0')
  })
  socket.on('error', (error) => log.error('The channel for git prompts failed', error))

  return {
    program,
    async close() {
      socket.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function sendAnswer(pipe: string, answer: string | null): Promise<void> {
  const deadline = performance.now() + readerTimeout
  for (;;) {
    try {
      const handle = await openFile(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
      try {
        await handle.write(answer === null ? 'n\n' : `y${answer.replaceAll(/[\r\n\0]/g, '')}\n`)
      } finally {
        await handle.close()
      }
      return
    } catch (error) {
      // ENXIO: the helper is not reading yet. ENOENT, EPIPE: it has exited.
      if (errorCode(error) !== 'ENXIO' || performance.now() > deadline) {
        if (!['ENOENT', 'EPIPE'].includes(errorCode(error) ?? ''))
          log.error('A reply to a git prompt could not be delivered', error)
        return
      }
      await sleep(10)
    }
  }
}

/** Removes folders of killed processes. */
async function removeStale(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (isAlive(Number.parseInt(name, 10))) continue
    await rm(path.join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
