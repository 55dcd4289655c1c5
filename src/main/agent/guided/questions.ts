import type { JsonSchema } from '../../../shared/tools/tool.ts'
import type { ChatMessage } from '../../model/modelClient.ts'
import { actDescriptions, acts, type Act, type DebugStep, type Step } from './acts.ts'
import { newPathsIn, piecesOf } from './taskPieces.ts'

/** A question whose answer is one of a few names. */
export interface Question<T extends string> {
  names: readonly T[]
  /** @param reversed whether the examples are in reverse order: a small model prefers what it read last */
  prompt(task: string, reversed: boolean): ChatMessage[]
  /** Returns the beginning of the answer, up to the name. */
  begun(task: string): string
  /** Returns the schema of the answer, for servers that report no likelihoods. The name is in `field`. */
  schema(task: string): JsonSchema
  field: string
  /** Meaningless tasks. What a model prefers for them shows its bias. */
  emptyTasks: readonly string[]
}

// The prompts of guided turns. The constant part comes first, so that servers can reuse it.

/** Replaces the question in the prompt that other answers are compared with. It says nothing about the text. */
export const emptyQuestion = 'What does it say?'

/** Replaces the task in the prompt that other answers are compared with. It says nothing about the change. */
export const emptyChange = 'Change the file.'

/** Whether a message is talk, or something to do. */
export const kindQuestion: Question<'talk' | 'work'> = {
  names: ['talk', 'work'],
  prompt: (message, reversed) => [
    {
      role: 'system',
      content:
        'You sort messages. work: something to do or to look up in the files of a folder, or a command. talk: anything else.',
    },
    ...inOrder(kindExamples, reversed).flatMap(({ message: asked, kind }): ChatMessage[] => [
      { role: 'user', content: asked },
      { role: 'assistant', content: JSON.stringify({ message: asked, kind }) },
    ]),
    { role: 'user', content: message },
  ],
  begun: (message) => `{"message":${JSON.stringify(message)},"kind":"`,
  schema: (message) => objectSchema({ message: { const: message }, kind: { enum: ['talk', 'work'] } }),
  field: 'kind',
  emptyTasks: ['', 'N/A', '...'],
}

/** Whether a task about a program needs values of its variables, or only the act that was chosen. */
export function debugQuestion(act: 'read' | 'run'): Question<'file' | 'output' | 'variables'> {
  const other = act === 'read' ? 'file' : 'output'
  const names = [other, 'variables'] as const
  const examples = debugExamples.filter(({ about }) => about === 'variables' || about === other)
  return {
    names,
    prompt: (task, reversed) => [
      {
        role: 'system',
        content: [
          'You sort tasks about a program.',
          act === 'read' ? 'file: what its file says.' : 'output: run it, or what it prints.',
          'variables: the value of a variable at a line, or why it fails.',
        ].join('\n'),
      },
      ...inOrder(examples, reversed).flatMap(({ task: asked, about }): ChatMessage[] => [
        { role: 'user', content: asked },
        { role: 'assistant', content: JSON.stringify({ task: asked, about }) },
      ]),
      { role: 'user', content: task },
    ],
    begun: (task) => `{"task":${JSON.stringify(task)},"about":"`,
    schema: (task) => objectSchema({ task: { const: task }, about: { enum: [...names] } }),
    field: 'about',
    emptyTasks: ['', 'N/A', 'Do the task.', 'file.py'],
  }
}

const secondMark = '\nSecond: '
/** Returns two sentences as one text for `followingQuestion`. */
export const following = (first: string, second: string): string => `First: ${first}${secondMark}${second}`
const secondOf = (sentences: string): string => sentences.slice(sentences.lastIndexOf(secondMark) + secondMark.length)

/**
 * Whether a sentence that follows another one is a separate step, or a note on how to do the first. See `following`.
 */
export const followingQuestion: Question<'note' | 'step'> = {
  names: ['note', 'step'],
  prompt: (sentences, reversed) => [
    {
      role: 'system',
      content:
        'You sort the second sentence of a request. step: something more to do or to find out. note: how to do the first, what not to do, how to answer, or anything else.',
    },
    ...inOrder(followingExamples, reversed).flatMap(({ first, second, kind }): ChatMessage[] => [
      { role: 'user', content: following(first, second) },
      { role: 'assistant', content: JSON.stringify({ second, kind }) },
    ]),
    { role: 'user', content: sentences },
  ],
  begun: (sentences) => `{"second":${JSON.stringify(secondOf(sentences))},"kind":"`,
  schema: (sentences) => objectSchema({ second: { const: secondOf(sentences) }, kind: { enum: ['note', 'step'] } }),
  field: 'kind',
  emptyTasks: ['', 'N/A', '...'].map((second) => following('N/A', second)),
}

/** What to do first for a task. */
export function actQuestion(offered: readonly Act[]): Question<Act> {
  return {
    names: offered,
    prompt: (task, reversed) => actPrompt(task, offered, reversed),
    begun: (task) => `{"task":${JSON.stringify(task)},"tool":"`,
    schema: (task) => objectSchema({ task: { const: task }, tool: { enum: [...offered] } }),
    field: 'tool',
    emptyTasks: ['', 'N/A', 'Do the task.', 'file.txt'],
  }
}

/** Returns the prompt for an act with its arguments. */
export function actPrompt(task: string, offered: readonly Act[], reversed = false): ChatMessage[] {
  const lines = acts.filter((act) => offered.includes(act)).map((act) => actDescriptions[act])
  const shown = actExamples.filter(({ step }) => offered.includes(step.act))
  return [
    {
      role: 'system',
      content: ['You are a coding agent. You repeat the task and then choose the tool that does it.', ...lines].join(
        '\n',
      ),
    },
    ...inOrder(shown, reversed).flatMap(({ task: asked, step: { act, ...args } }): ChatMessage[] => [
      { role: 'user', content: asked },
      { role: 'assistant', content: JSON.stringify({ task: asked, tool: act, ...args }) },
    ]),
    { role: 'user', content: task },
  ]
}

const inOrder = <T>(examples: readonly T[], reversed: boolean): readonly T[] =>
  reversed ? examples.toReversed() : examples

const shortText: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 }
const longText: JsonSchema = { type: 'string', minLength: 1, maxLength: 4000 }

/** Maximum number of texts to search for. */
const maxPieces = 200

/**
 * Returns the schema of an act with its arguments. Restricts a text to search for to parts of the task, and a new path
 * to those the task names: small models misspell what they copy.
 * @param paths files that exist, not empty
 */
export function stepSchema(task: string, act: Act, paths: readonly string[]): JsonSchema {
  const path: JsonSchema = { enum: [...paths] }
  const named = newPathsIn(task, paths)
  const newPath: JsonSchema = named.length > 0 ? { enum: named } : shortText
  const pieces = piecesOf(task).slice(0, maxPieces)
  const args: Readonly<Record<Act, Record<string, JsonSchema>>> = {
    read: { path },
    edit: { path },
    delete: { path },
    list: {},
    search: { text: pieces.length > 0 ? { enum: pieces } : shortText },
    create: { path: newPath, content: longText },
    rename: { path, to: newPath },
    run: { command: shortText },
  }
  return objectSchema({ task: { const: task }, tool: { const: act }, ...args[act] })
}

/** Returns the prompt for the change of one line. */
export function changePrompt(path: string, text: string, task: string): ChatMessage[] {
  const question = (file: string, content: string, asked: string) => `File ${file}:\n${content}\nTask: ${asked}`
  return [
    {
      role: 'system',
      content: 'You change one line of a file. You repeat the task, copy the old line and write the new line.',
    },
    ...changeExamples.flatMap((example): ChatMessage[] => [
      { role: 'user', content: question(example.path, example.text, example.task) },
      { role: 'assistant', content: JSON.stringify({ task: example.task, old: example.old, new: example.new }) },
    ]),
    { role: 'user', content: question(path, text, task) },
  ]
}

/** Returns the beginning of an answer to `changePrompt`, up to the old line. */
export const changePrefix = (task: string): string => `{"task":${JSON.stringify(task)},"old":"`

/** Returns the beginning of an answer to `changePrompt`, up to the new line. */
export const newLinePrefix = (task: string, old: string): string =>
  `${changePrefix(task)}${JSON.stringify(old).slice(1)},"new":"`

/**
 * @param lines the old lines on offer, not empty
 * @param edits the new lines on offer. Default: any
 */
export function changeSchema(task: string, lines: readonly string[], edits?: readonly string[]): JsonSchema {
  return objectSchema({
    task: { const: task },
    old: lines.length === 1 ? { const: lines[0] } : { enum: [...lines] },
    new: edits ? { enum: [...edits] } : { type: 'string', maxLength: 1000 },
  })
}

/** Returns the prompt for an answer from a text. */
export function answerPrompt(text: string, question: string): ChatMessage[] {
  const ask = (from: string, asked: string) => `Text:\n${from}\nQuestion: ${asked}`
  return [
    { role: 'system', content: 'Answer the question from the text. Be short.' },
    ...answerExamples.flatMap((example): ChatMessage[] => [
      { role: 'user', content: ask(example.text, example.question) },
      { role: 'assistant', content: example.answer },
    ]),
    { role: 'user', content: ask(text, question) },
  ]
}

/** Returns the schema of an object that has exactly these properties. */
export function objectSchema(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

// The examples in the prompts. A model of 135 million parameters copies their format, so each is short and complete.

/**
 * Example tasks with their first steps: three for each act, in several languages, in mixed order. With one example per
 * act, SmolLM2-135M chose the right act for 35 of 49 tasks; with three, for 38.
 */
const actExamples: readonly { task: string; step: Exclude<Step, DebugStep> }[] = [
  { task: 'Which file contains LIMIT?', step: { act: 'search', text: 'LIMIT' } },
  { task: 'Run `make test`.', step: { act: 'run', command: 'make test' } },
  { task: 'List the files.', step: { act: 'list' } },
  { task: 'Delete tmp.txt.', step: { act: 'delete', path: 'tmp.txt' } },
  { task: 'Create the file x.txt with the text yes', step: { act: 'create', path: 'x.txt', content: 'yes' } },
  { task: 'Set SPEED to 80 in app.cfg.', step: { act: 'edit', path: 'app.cfg' } },
  { task: 'Rename a.md to b.md.', step: { act: 'rename', path: 'a.md', to: 'b.md' } },
  { task: 'Read todo.txt and tell me the first item.', step: { act: 'read', path: 'todo.txt' } },
  { task: 'Wo steht das Wort Apfel?', step: { act: 'search', text: 'Apfel' } },
  { task: 'What is the name in user.json?', step: { act: 'read', path: 'user.json' } },
  { task: 'Replace red with blue in page.css.', step: { act: 'edit', path: 'page.css' } },
  { task: 'Execute `python job.py` and show the output.', step: { act: 'run', command: 'python job.py' } },
  { task: 'Supprime le fichier brouillon.doc.', step: { act: 'delete', path: 'brouillon.doc' } },
  { task: 'Which files are there?', step: { act: 'list' } },
  { task: 'Move cat.png to dog.png.', step: { act: 'rename', path: 'cat.png', to: 'dog.png' } },
  { task: 'Escribe un archivo hoy.txt con el texto lunes', step: { act: 'create', path: 'hoy.txt', content: 'lunes' } },
  { task: 'Ändere die Farbe in stil.css auf rot.', step: { act: 'edit', path: 'stil.css' } },
  { task: 'Où est définie la fonction lire?', step: { act: 'search', text: 'lire' } },
  { task: 'Che cosa dice lettera.txt?', step: { act: 'read', path: 'lettera.txt' } },
  { task: 'Remove the first line of list.txt.', step: { act: 'edit', path: 'list.txt' } },
  { task: 'What does start.sh print?', step: { act: 'run', command: 'sh start.sh' } },
  { task: 'Make a new file plan.md that says hello', step: { act: 'create', path: 'plan.md', content: 'hello' } },
  { task: 'Remove the file junk.log.', step: { act: 'delete', path: 'junk.log' } },
  { task: 'Nenne die Datei eins.txt in zwei.txt um.', step: { act: 'rename', path: 'eins.txt', to: 'zwei.txt' } },
]

/** Messages that are talk, and messages that are something to do. */
const kindExamples: readonly { message: string; kind: 'talk' | 'work' }[] = [
  { message: 'Set SPEED to 80 in app.cfg.', kind: 'work' },
  { message: 'What is a mammal?', kind: 'talk' },
  { message: 'Which file contains LIMIT?', kind: 'work' },
  { message: 'Hallo, wie geht es dir?', kind: 'talk' },
  { message: 'Run `make test`.', kind: 'work' },
  { message: 'Tell me a joke.', kind: 'talk' },
  { message: 'Supprime le fichier brouillon.doc.', kind: 'work' },
  { message: 'Che cosa dice lettera.txt?', kind: 'work' },
  { message: 'How old is the earth?', kind: 'talk' },
  { message: 'change COLOR to red', kind: 'work' },
  { message: 'Explain what a loop is.', kind: 'talk' },
  { message: 'Which files are there?', kind: 'work' },
  { message: 'Move cat.png to dog.png.', kind: 'work' },
  { message: 'Thanks!', kind: 'talk' },
]

/** Tasks about a program. */
const debugExamples: readonly { task: string; about: 'file' | 'output' | 'variables' }[] = [
  { task: 'Read job.py and tell me the name of the class.', about: 'file' },
  { task: 'Run job.py and tell me what it prints.', about: 'output' },
  { task: 'What is the value of price at line 7 of shop.py?', about: 'variables' },
  { task: 'Debug lager.js and show the variable count.', about: 'variables' },
  { task: 'Was steht in der ersten Zeile von lager.js?', about: 'file' },
  { task: 'Execute `python lager.py`.', about: 'output' },
  { task: 'Stop at line 12 of tool.js and show the variables.', about: 'variables' },
  { task: 'Which functions are in tool.js?', about: 'file' },
  { task: 'Start tool.js.', about: 'output' },
  { task: 'Explain note.py.', about: 'file' },
  { task: 'Führe note.py aus.', about: 'output' },
  { task: 'Welchen Wert hat alter in Zeile 3 von note.py?', about: 'variables' },
  { task: 'Why does plan.py fail?', about: 'variables' },
  { task: 'Que dit plan.py?', about: 'file' },
  { task: 'Run the tests in plan.py.', about: 'output' },
  { task: 'Open list.ts.', about: 'file' },
  { task: 'What is the output of list.ts?', about: 'output' },
  { task: 'Set a breakpoint at line 2 of list.ts.', about: 'variables' },
]

/** Sentences that follow another one in a message. */
const followingExamples: readonly { first: string; second: string; kind: 'note' | 'step' }[] = [
  { first: 'Set SPEED to 80 in app.cfg.', second: 'Leave the other lines alone.', kind: 'note' },
  { first: 'Move cat.png to dog.png.', second: 'Then delete bird.png.', kind: 'step' },
  { first: 'What does letter.txt say?', second: 'Reply in one sentence.', kind: 'note' },
  { first: 'Set COLOR to red.', second: 'Run `make test`.', kind: 'step' },
  { first: 'Crée liste.txt.', second: 'Merci.', kind: 'note' },
  { first: 'Read a.md.', second: 'Tell me who wrote it.', kind: 'step' },
  { first: 'Lösche brouillon.doc.', second: 'Sei vorsichtig.', kind: 'note' },
  { first: 'Which file contains LIMIT?', second: 'Set it to 5.', kind: 'step' },
  { first: 'Rename x.js to y.js.', second: 'The name must not have spaces.', kind: 'note' },
  { first: 'Create b.txt.', second: 'Dann benenne c.txt in d.txt um.', kind: 'step' },
]

/** Changes of one line, each at another position of its file. */
const changeExamples: readonly { path: string; text: string; task: string; old: string; new: string }[] = [
  {
    path: 'app.cfg',
    text: 'PORT = 1\nHOST = a\nSIZE = 7\n',
    task: 'Set HOST to b in app.cfg.',
    old: 'HOST = a',
    new: 'HOST = b',
  },
  {
    path: 'page.md',
    text: '# Blue car\nIt is fast.\n',
    task: 'Replace Blue with Red in page.md.',
    old: '# Blue car',
    new: '# Red car',
  },
  {
    path: 'x.js',
    text: 'let a = 1\nlet total = 2\nprint(total)\n',
    task: 'Ändere total in x.js auf 9.',
    old: 'let total = 2',
    new: 'let total = 9',
  },
  {
    path: 'letter.txt',
    text: 'Hello Bob,\nwe met yesterdey.\nBye\n',
    task: 'Fix the spelling mistake in letter.txt.',
    old: 'we met yesterdey.',
    new: 'we met yesterday.',
  },
]

/** Questions with an answer from a file, a search and the output of a command. */
const answerExamples: readonly { text: string; question: string; answer: string }[] = [
  { text: 'Milk: 2\nEggs: 6\n', question: 'Read shop.txt and tell me how many eggs.', answer: 'Eggs: 6' },
  { text: 'api.js: const KEY = 1\n', question: 'Which file contains KEY?', answer: 'api.js' },
  { text: 'Le nom du chien est Rex.\n', question: "Comment s'appelle le chien?", answer: 'Rex' },
  {
    text: 'built: 3 files, 0 errors\n',
    question: 'Run `make` and tell me how many errors.',
    answer: '0 errors',
  },
]
