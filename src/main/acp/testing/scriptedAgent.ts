import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentContext,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'

// An external agent for tests, on the SDK's agent side. The first word of a message selects what it does.
// Arguments: `--version N` answers with another protocol version, `--silent` never answers, `--forgetful` cannot
// continue sessions, `--seen FILE` records what happened after a cancellation, `--named NAME` reports a name,
// `--answers JSON` replaces answers by method, `--broken` exits at once.

const args = process.argv.slice(2)
const option = (name: string): string | undefined =>
  args.includes(name) ? (args[args.indexOf(name) + 1] ?? '') : undefined
// Written by the tests.
const answers = JSON.parse(option('--answers') ?? '{}') as Record<string, unknown>
const cancels = new Map<string, () => void>()
let sessions = 0
let requests = 0

function note(text: string): void {
  const file = option('--seen')
  if (file !== undefined) appendFileSync(file, `${text}\n`)
}

const never = new Promise<never>(() => undefined)

/** Returns the answer to a request, which a test can replace by an invalid one. */
function answerTo<T>(method: string, valid: T): T {
  return method in answers ? (answers[method] as T) : valid
}

async function play(text: string, sessionId: string, client: AgentContext, cancelled: Promise<void>): Promise<void> {
  const send = (update: SessionUpdate) => client.notify(methods.client.session.update, { sessionId, update })
  const say = (words: string) => send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } })
  const [word = '', ...rest] = text.split(' ')
  const argument = rest.join(' ')
  const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
  const permission = (kind: 'edit' | 'execute' | 'read', title: string, path?: string) =>
    client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: {
        toolCallId: 'asked',
        kind,
        title,
        ...(kind === 'execute' && { rawInput: { command: title } }),
        ...(path !== undefined && { locations: [{ path }] }),
      },
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    })

  switch (word) {
    case 'write': {
      const path = argument
      const call = { toolCallId: 'w', kind: 'edit' as const, title: `Write ${path}`, locations: [{ path }] }
      await send({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' })
      try {
        await client.request(methods.client.fs.writeTextFile, { sessionId, path, content: 'from the agent\n' })
        await send({ sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'completed' })
        return await say('Written.')
      } catch (error) {
        await send({ sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'failed' })
        return say(`Not written: ${reason(error)}`)
      }
    }
    case 'read':
      try {
        const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path: argument })
        return await say(`It says: ${content}`)
      } catch (error) {
        return say(`Not read: ${reason(error)}`)
      }
    case 'run':
      try {
        const { terminalId } = await client.request(methods.client.terminal.create, { sessionId, command: argument })
        const { exitCode } = await client.request(methods.client.terminal.waitForExit, { sessionId, terminalId })
        const { output } = await client.request(methods.client.terminal.output, { sessionId, terminalId })
        await client.request(methods.client.terminal.release, { sessionId, terminalId })
        return await say(`Exit ${exitCode}: ${output.trim()}`)
      } catch (error) {
        return say(`Not run: ${reason(error)}`)
      }
    case 'runenv':
      try {
        const env = [{ name: argument, value: 'x' }]
        await client.request(methods.client.terminal.create, { sessionId, command: 'env', env })
        return await say('Run.')
      } catch (error) {
        return say(`Not run: ${reason(error)}`)
      }
    case 'own':
      writeFileSync(argument, 'by its own process\n')
      return say('Done by myself.')
    case 'append':
      appendFileSync(argument, 'appended\n')
      return say('Appended.')
    // Adds a line before the text of a file when the test has created another one, after the end of the turn.
    case 'later': {
      const [path = '', sign = ''] = rest
      const timer = setInterval(() => {
        if (!existsSync(sign)) return
        clearInterval(timer)
        writeFileSync(path, `written later\n${existsSync(path) ? readFileSync(path, 'utf8') : ''}`)
      }, 10)
      return say('Later.')
    }
    case 'ask': {
      const { outcome } = await permission('execute', argument)
      return say(`Answer: ${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}`)
    }
    // Requests permission for calls as the test describes them, with their answers or the usual ones.
    case 'request': {
      // Written by the tests.
      const calls = JSON.parse(argument) as (Partial<RequestPermissionRequest['toolCall']> &
        Pick<Partial<RequestPermissionRequest>, 'options'>)[]
      const given = []
      for (const { options, ...toolCall } of calls) {
        const { outcome } = await client.request(methods.client.session.requestPermission, {
          sessionId,
          toolCall: { toolCallId: `request ${(requests += 1)}`, ...toolCall },
          options: options ?? [
            { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
            { optionId: 'no', name: 'No', kind: 'reject_once' },
          ],
        })
        given.push(outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome)
      }
      return say(`Answer: ${given.join(', ')}`)
    }
    case 'askread': {
      const { outcome } = await permission('read', `Read ${argument}`, argument)
      return say(`Answer: ${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}`)
    }
    case 'edit':
    case 'cheat': {
      const content = 'as shown\n'
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId: 'e',
          kind: 'edit',
          title: 'Edit',
          content: [{ type: 'diff', path: argument, oldText: null, newText: content }],
        },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      })
      if (outcome.outcome !== 'selected') return say('Not allowed.')
      const written = word === 'cheat' ? 'not as shown\n' : content
      try {
        await client.request(methods.client.fs.writeTextFile, { sessionId, path: argument, content: written })
        return await say('Written.')
      } catch (error) {
        return say(`Not written: ${reason(error)}`)
      }
    }
    // Hides an edit in a request of another kind, which needs no approval or has one.
    case 'sneak': {
      const [path = '', kind = 'read', title = 'Look'] = rest
      const content = 'not shown\n'
      await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId: `sneak ${path}`,
          kind: kind === 'execute' || kind === 'edit' ? kind : 'read',
          title,
          ...(kind === 'execute' && { rawInput: { command: title } }),
          content: [{ type: 'diff', path, oldText: null, newText: content }],
        },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      })
      try {
        await client.request(methods.client.fs.writeTextFile, { sessionId, path, content })
        return await say('Written.')
      } catch (error) {
        return say(`Not written: ${reason(error)}`)
      }
    }
    // Reports an earlier text that the file does not have, so that the diff shows little of what is written.
    case 'disguise': {
      const oldText = `hidden\n${'line\n'.repeat(20)}`
      const content = `${oldText}shown\n`
      await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId: 'd',
          kind: 'edit',
          title: 'Edit',
          content: [{ type: 'diff', path: argument, oldText, newText: content }],
        },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      })
      await client.request(methods.client.fs.writeTextFile, { sessionId, path: argument, content })
      return say('Written.')
    }
    // Requests the same file again and again.
    case 'readflood': {
      const path = argument
      const answers = Array.from({ length: 20_000 }, () =>
        client.request(methods.client.fs.readTextFile, { sessionId, path }).then(
          () => 'read',
          () => 'refused',
        ),
      )
      return say(`Read: ${(await Promise.all(answers)).filter((each) => each === 'read').length}`)
    }
    // Reads a file many times, whole or only one line.
    case 'readmany': {
      const [path = '', count = '', ...lines] = rest
      const only = lines.length > 0 ? { line: Number(lines[0]), limit: 1 } : {}
      let characters = 0
      for (let index = 0; index < Number(count); index += 1)
        characters += (await client.request(methods.client.fs.readTextFile, { sessionId, path, ...only })).content
          .length
      return say(`Read: ${characters}`)
    }
    // Like opencode: its own process writes what was allowed, and then the client does. The result is text alone.
    case 'twice': {
      const newText = 'written twice\n'
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId: 't',
          kind: 'edit',
          title: argument,
          locations: [{ path: argument }],
          content: [{ type: 'diff', path: argument, oldText: '', newText }],
        },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      })
      if (outcome.outcome !== 'selected') return say('Not allowed.')
      writeFileSync(argument, newText)
      await client.request(methods.client.fs.writeTextFile, { sessionId, path: argument, content: newText })
      await send({
        sessionUpdate: 'tool_call_update',
        toolCallId: 't',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: 'Wrote file successfully.' } }],
      })
      return say('Written.')
    }
    // Like Codex: the text of its permission request is no result, and its output is in `rawOutput` alone.
    case 'output': {
      const toolCallId = 'o'
      await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId,
          kind: 'execute',
          title: argument,
          rawInput: { command: ['bash', '-lc', argument] },
          content: [{ type: 'content', content: { type: 'text', text: 'Available Decisions: Approved' } }],
        },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      })
      const delta = (data: string) =>
        send({
          sessionUpdate: 'tool_call_update',
          toolCallId,
          _meta: { terminal_output_delta: { data, terminal_id: toolCallId } },
        })
      if (argument.includes('--color')) {
        await delta('piece \u001B[32mby ')
        await delta('piece\u001B[0m\n')
      }
      await send({
        sessionUpdate: 'tool_call_update',
        toolCallId,
        status: 'completed',
        rawOutput: { stdout: 'out\n', aggregated_output: '', formatted_output: 'out\n', exit_code: 0 },
      })
      return say('Ran.')
    }
    case 'plan':
      await send({ sessionUpdate: 'plan', entries: [{ content: 'Look', priority: 'high', status: 'in_progress' }] })
      await send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } })
      await send({
        sessionUpdate: 'tool_call',
        toolCallId: 'd',
        kind: 'edit',
        title: 'Edit a.txt',
        status: 'completed',
        content: [{ type: 'diff', path: argument, oldText: 'one\n', newText: 'two\n' }],
      })
      return say('Planned.')
    case 'longplan':
      await send({
        sessionUpdate: 'plan',
        entries: [{ content: 'y'.repeat(1024 * 1024), priority: 'high', status: 'in_progress' }],
      })
      return say('Planned.')
    case 'flood':
      for (let sent = 0; sent < 100; sent += 1) await say('x'.repeat(1024 * 1024))
      return
    case 'longline':
      process.stdout.write('y'.repeat(100 * 1024 * 1024))
      return never
    case 'noise':
      process.stdout.write('not a message\n[1,2]\n{"jsonrpc":"1.0"}\n')
      return say('After the noise.')
    case 'askdie':
      permission('execute', argument).catch(() => undefined)
      client
        .request(methods.client.fs.writeTextFile, { sessionId, path: argument, content: 'late' })
        .catch(() => undefined)
      setTimeout(() => process.exit(4), 500)
      return never
    case 'die':
      process.stderr.write('boom: out of order\n')
      process.exit(3)
    // falls through
    case 'mute':
      process.stdout.end()
      setInterval(() => undefined, 1000)
      return never
    case 'hang':
      await say('Hanging')
      return never
    case 'wait': {
      await say('Waiting')
      await cancelled
      const { outcome } = await permission('execute', 'rm -rf /')
      note(`permission: ${outcome.outcome}`)
      const written = await client
        .request(methods.client.fs.writeTextFile, { sessionId, path: argument, content: 'too late' })
        .then(() => 'written', reason)
      note(`write: ${written}`)
      await say('Late words')
      return
    }
    default:
      await say('Hello ')
      return say(`from session ${sessionId}.`)
  }
}

if (args.includes('--broken')) {
  process.stderr.write('no such module\n')
  process.exit(3)
}

agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () =>
    args.includes('--silent')
      ? never
      : answerTo(methods.agent.initialize, {
          protocolVersion: Number(option('--version') ?? PROTOCOL_VERSION),
          agentInfo: { name: option('--named') ?? 'scripted', version: '1.0.0' },
          agentCapabilities: args.includes('--forgetful') ? {} : { sessionCapabilities: { resume: {} } },
        }),
  )
  .onRequest(methods.agent.session.new, () => {
    sessions += 1
    return answerTo(methods.agent.session.new, { sessionId: `s${sessions}` })
  })
  .onRequest(methods.agent.session.resume, () => ({}))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>()
    let wasCancelled = false
    cancels.set(sessionId, () => {
      wasCancelled = true
      resolve()
    })
    const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('')
    await play(text, sessionId, client, cancelled)
    return answerTo(methods.agent.session.prompt, { stopReason: wasCancelled ? 'cancelled' : 'end_turn' })
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => cancels.get(params.sessionId)?.())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
