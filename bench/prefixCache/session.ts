import {
  answer,
  call,
  say,
  think,
  type Reply,
  type ScriptedChatRequest,
} from '../../src/main/model/scripted/scenario.ts'

/** A turn of the session: what the user does before it, and what the model answers. */
export interface SessionTurn {
  message: string
  /** The mode in which the user sends the message. */
  mode?: 'yolo' | 'plan'
  /** Files that another program changes before the message. */
  touched?: readonly string[]
  answers: readonly ((step: number) => Reply)[]
}

const modules = 8
const linesOf = (module: number) => 40 + ((module * 37) % 5) * 45

/** Files of the workspace: modules of different lengths, rules for a folder, and notes. */
export const sessionFiles: Readonly<Record<string, string>> = {
  'AGENTS.md': 'Use plain functions. Answer briefly.\n',
  'src/deep/AGENTS.md': 'Only constants in this folder.\n',
  'src/deep/limits.ts': 'export const limit = 10\n',
  'notes.md': Array.from({ length: 60 }, (_, line) => `- note ${line} about harbours and tides`).join('\n'),
  ...Object.fromEntries(Array.from({ length: modules }, (_, module) => [`src/m${module}.ts`, moduleText(module)])),
}

function moduleText(module: number): string {
  const steps = Array.from(
    { length: linesOf(module) },
    (_, line) => `export const step${line} = (a: number) => a * ${line + module} + counter${module}`,
  )
  return `export let counter${module} = 0\n${steps.join('\n')}\n`
}

const path = (module: number) => `src/m${module % modules}.ts`
const read = (module: number) => call('read_file', { path: path(module) })
/** Edits that always apply: each increments a module's counter. */
const counters = new Map<number, number>()
function edit(module: number) {
  const at = module % modules
  const value = counters.get(at) ?? 0
  counters.set(at, value + 1)
  return call('edit_file', {
    path: path(at),
    old_content: `export let counter${at} = ${value}\n`,
    new_content: `export let counter${at} = ${value + 1}\n`,
  })
}

function workOn(turn: number): SessionTurn['answers'] {
  const first = turn * 3
  const thought = (step: number) => think(`Step ${step} of turn ${turn}: look, then change only what is necessary.`)
  return [
    (step) => answer(thought(step), say('I look for the place.'), call('grep_search', { query: `step1${turn % 10} ` })),
    (step) => answer(thought(step), read(first)),
    (step) => answer(thought(step), edit(first)),
    (step) => answer(thought(step), read(first + 1), call('list_dir', { path: 'src' })),
    () => answer(call('todo_write', { todos: [{ content: `Change module ${first + 1}`, status: 'in_progress' }] })),
    (step) => answer(thought(step), edit(first + 1)),
    () => answer(call('read_file_range', { path: path(first + 2), start_line: 1, end_line: 30 })),
    () => answer(call('read_file', { path: 'src/deep/limits.ts' })),
    (step) => answer(thought(step), read(first + 2), read(first + 3)),
    () => answer(call('read_file', { path: 'missing.ts' })),
    (step) => answer(thought(step), say('Now the last one.'), edit(first + 2)),
    () => answer(say(`Turn ${turn} is done: the counters of three modules grew by one.`)),
  ]
}

/** The user's turns, with events that tempt an agent to rewrite what it already sent. */
export const sessionTurns: readonly SessionTurn[] = [
  { message: 'Raise the counters of the first modules.', answers: workOn(0) },
  { message: 'Go on with the next ones. I changed some notes.', touched: ['notes.md', path(1)], answers: workOn(1) },
  { message: `Mind this report:\n${'A line of a report that somebody pasted. '.repeat(40)}`, answers: workOn(2) },
  {
    message: 'Only plan the next step.',
    mode: 'plan',
    answers: [() => answer(say('I would raise the next counters.'))],
  },
  { message: 'Do it.', mode: 'yolo', touched: [path(4)], answers: workOn(3) },
  { message: 'And once more.', answers: workOn(4) },
]

/** Whether a request is for a summary: of a record, or at the end of the conversation. */
export function isSummaryRequest(messages: readonly { content: unknown }[]): boolean {
  return [messages[0], messages.at(-1)].some((message) => String(message?.content).includes('You keep the notes'))
}

/** A model that plays the session, and writes notes where a summary is requested. */
export function playSession(): { respond(request: ScriptedChatRequest): Reply; next(turn: number): void } {
  let answers: SessionTurn['answers'] = []
  let step = 0
  counters.clear()
  return {
    next(turn) {
      answers = sessionTurns[turn]?.answers ?? []
      step = 0
    },
    respond({ messages }) {
      if (isSummaryRequest(messages))
        return answer(say('Task and state: counters of modules are raised one by one.\nNext step: the next module.'))
      step += 1
      return answers[step - 1]?.(step) ?? answer(say('Done.'))
    },
  }
}
