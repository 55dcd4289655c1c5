import type { Step } from './acts.ts'

// What the prompts of guided turns show. A model of 135 million parameters copies their form, so each is short and complete.

/**
 * Tasks with the step that begins them: three for each act, in several languages and in a mixed order. With one for each
 * act, SmolLM2-135M chose the right act for 35 of 49 tasks, with three for 38.
 */
export const actExamples: readonly { task: string; step: Step }[] = [
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
export const kindExamples: readonly { message: string; kind: 'talk' | 'work' }[] = [
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

/** Changes of one line, each at another position of its file. */
export const changeExamples: readonly { path: string; text: string; task: string; old: string; new: string }[] = [
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
export const answerExamples: readonly { text: string; question: string; answer: string }[] = [
  { text: 'Milk: 2\nEggs: 6\n', question: 'Read shop.txt and tell me how many eggs.', answer: 'Eggs: 6' },
  { text: 'api.js: const KEY = 1\n', question: 'Which file contains KEY?', answer: 'api.js' },
  { text: 'Le nom du chien est Rex.\n', question: "Comment s'appelle le chien?", answer: 'Rex' },
  {
    text: 'built: 3 files, 0 errors\n',
    question: 'Run `make` and tell me how many errors.',
    answer: '0 errors',
  },
]
