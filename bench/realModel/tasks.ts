/** A small task in a folder of its own, judged by its effect. */
export interface RealTask {
  name: string
  /** Held out: nobody looked at the task while tuning the prompts. */
  held: boolean
  files: Readonly<Record<string, string>>
  message: string
  /** Pattern that the answer must match. */
  answer?: RegExp
  /** Text of files afterwards; null if the file must be gone. Trailing line breaks are ignored. */
  after?: Readonly<Record<string, string | null>>
}

const tuned: Omit<RealTask, 'held'>[] = [
  {
    name: 'read a note',
    files: { 'notes.md': '# Launch\n\nThe launch date is 14 May.\n', 'todo.txt': 'call Ana\n' },
    message: 'Read notes.md and tell me the launch date.',
    answer: /14 May|May 14/,
  },
  {
    name: 'read a value',
    files: { 'package.json': '{\n  "name": "harbor",\n  "version": "2.4.1"\n}\n', 'main.js': 'start()\n' },
    message: 'Which version is in package.json?',
    answer: /2\.4\.1/,
  },
  {
    name: 'search a word',
    files: { 'net.py': 'TIMEOUT = 30\n', 'disk.py': 'SIZE = 10\n', 'ui.py': 'COLOR = "red"\n' },
    message: 'Which file contains TIMEOUT?',
    answer: /net\.py/,
  },
  {
    name: 'set a number',
    files: { 'config.py': 'HOST = "local"\nRETRIES = 3\nDELAY = 1\n', 'main.py': 'import config\n' },
    message: 'Change RETRIES to 5 in config.py.',
    after: { 'config.py': 'HOST = "local"\nRETRIES = 5\nDELAY = 1\n' },
  },
  {
    name: 'replace a title',
    files: {
      'index.html': '<html>\n<title>Old Shop</title>\n<p>Welcome</p>\n</html>\n',
      'style.css': 'p { margin: 0 }\n',
    },
    message: 'Replace Old Shop with New Shop in index.html.',
    after: { 'index.html': '<html>\n<title>New Shop</title>\n<p>Welcome</p>\n</html>\n' },
  },
  {
    name: 'create a file',
    files: { 'a.txt': 'a\n' },
    message: 'Create the file hello.txt with the text hello world',
    after: { 'hello.txt': 'hello world', 'a.txt': 'a\n' },
  },
  {
    name: 'delete a file',
    files: { 'old.log': 'x\n', 'app.log': 'y\n' },
    message: 'Delete old.log.',
    after: { 'old.log': null, 'app.log': 'y\n' },
  },
  {
    name: 'rename a file',
    files: { 'draft.md': '# Draft\n', 'other.md': '# Other\n' },
    message: 'Rename draft.md to final.md.',
    after: { 'draft.md': null, 'final.md': '# Draft\n', 'other.md': '# Other\n' },
  },
  {
    name: 'run a script',
    files: { 'build.sh': 'echo "built 42 files"\n' },
    message: 'Run `sh build.sh` and tell me what it prints.',
    answer: /42/,
  },
  {
    name: 'set a number, in German',
    files: { 'server.cfg': 'HOST=local\nPORT=8000\n', 'readme.txt': 'Server\n' },
    message: 'Setze PORT auf 9000 in server.cfg.',
    after: { 'server.cfg': 'HOST=local\nPORT=9000\n' },
  },
  {
    name: 'read a note, in French',
    files: { 'memo.txt': 'Le code de la porte est 7391.\n', 'liste.txt': 'pain\n' },
    message: 'Lis memo.txt et dis-moi le code de la porte.',
    answer: /7391/,
  },
  {
    name: 'delete a file, in Spanish',
    files: { 'viejo.txt': 'x\n', 'nuevo.txt': 'y\n' },
    message: 'Borra el archivo viejo.txt.',
    after: { 'viejo.txt': null, 'nuevo.txt': 'y\n' },
  },
]

const held: Omit<RealTask, 'held'>[] = [
  {
    name: 'read who leads',
    files: { 'team.md': '# Team\n\nLead: Marta Ruiz\nTester: Tom Lee\n', 'plan.md': '# Plan\n' },
    message: 'Open team.md and tell me who the lead is.',
    answer: /Marta/,
  },
  {
    name: 'read a setting',
    files: { 'app.toml': 'name = "demo"\ntheme = "midnight"\n', 'lib.rs': 'fn a() {}\n' },
    message: 'What is the theme in app.toml?',
    answer: /midnight/,
  },
  {
    name: 'find a file',
    files: { 'bill.txt': 'invoice 12 is paid\n', 'mail.txt': 'hello\n', 'log.txt': 'started\n' },
    message: 'Find the file that mentions invoice.',
    answer: /bill\.txt/,
  },
  {
    name: 'set a switch',
    files: { 'settings.json': '{\n  "debug": true,\n  "level": 2\n}\n', 'x.js': 'a()\n' },
    message: 'Set debug to false in settings.json.',
    after: { 'settings.json': '{\n  "debug": false,\n  "level": 2\n}\n' },
  },
  {
    name: 'fix a typo',
    files: { 'mail.txt': 'Dear Ana,\nI will recieve it today.\nTom\n', 'b.txt': 'b\n' },
    message: 'Fix the typo in mail.txt: recieve must be receive.',
    after: { 'mail.txt': 'Dear Ana,\nI will receive it today.\nTom\n' },
  },
  {
    name: 'create a script',
    files: { 'readme.md': '# Tool\n' },
    message: 'Make a new file run.sh that contains echo start',
    after: { 'run.sh': 'echo start', 'readme.md': '# Tool\n' },
  },
  {
    name: 'remove a file',
    files: { 'tmp.bak': 'x\n', 'data.csv': '1\n' },
    message: 'Remove the file tmp.bak',
    after: { 'tmp.bak': null, 'data.csv': '1\n' },
  },
  {
    name: 'move a file',
    files: { 'util.js': 'a()\n', 'app.js': 'b()\n' },
    message: 'Rename the file util.js to helpers.js',
    after: { 'util.js': null, 'helpers.js': 'a()\n', 'app.js': 'b()\n' },
  },
  {
    name: 'run the tests',
    files: { 'sum.test.mjs': "import test from 'node:test'\ntest('sum', () => {})\n" },
    message: 'Run `node --test` and tell me how many tests pass.',
    answer: /\b1\b|\bone\b/i,
  },
  {
    name: 'create a file, in Spanish',
    files: { 'a.txt': 'a\n' },
    message: 'Crea el archivo saludo.txt con el texto hola',
    after: { 'saludo.txt': 'hola', 'a.txt': 'a\n' },
  },
  {
    name: 'rename a file, in German',
    files: { 'alt.txt': 'x\n', 'rest.txt': 'y\n' },
    message: 'Benenne alt.txt in neu.txt um.',
    after: { 'alt.txt': null, 'neu.txt': 'x\n', 'rest.txt': 'y\n' },
  },
  {
    name: 'read a value, in Italian',
    files: { 'ricetta.txt': 'Farina: 500 g\nZucchero: 80 g\n', 'nota.txt': 'ciao\n' },
    message: 'Quanto zucchero serve in ricetta.txt?',
    answer: /80/,
  },
]

/** 24 tasks over reading, searching, editing, files, commands and tests; six are not in English. */
export const realTasks: readonly RealTask[] = [
  ...tuned.map((task) => ({ ...task, held: false })),
  ...held.map((task) => ({ ...task, held: true })),
]
