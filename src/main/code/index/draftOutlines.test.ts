import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { roundsOf, seededRandom } from '../../testing/longForm.ts'
import { createDraftOutlines } from './draftOutlines.ts'
import { languages } from './languages.ts'
import { createSymbolReader } from './symbolReader.ts'

const grammars = fileURLToPath(new URL('../../../../resources/grammars', import.meta.url))

const texts: Record<string, string> = {
  typescript:
    "import { a } from './a.ts'\nconst fs = require('node:fs')\nexport class Ship {\n  draught = 3\n  /** Leaves. */\n  leave(): void { a() }\n}\nexport const berth = (n: number) => n\nenum Tide { low, high }\n",
  python:
    'import os\n\nclass Ship:\n    def leave(self):\n        """Leaves."""\n        return os.sep\n\nasync def berth(n):\n    return n\n',
  rust: 'mod harbour;\npub struct Ship { draught: u32 }\nimpl Ship {\n    pub fn leave(&self) -> u32 { self.draught }\n}\nfn berth() {}\n',
  json: '{ "name": "harbour", "berths": { "north": 1, "south": [2, 3] } }\n',
  markdown: '# Harbour\n\nText\n\n## Berths\n',
  c: '#include <a.h>\nstruct ship { int draught; };\nint leave(struct ship *s) { return s->draught; }\n',
}

/** Random typing, deletions and pastes. */
const pieces = [
  '',
  'x',
  '\n',
  ' ',
  '{',
  '}',
  '(',
  '"',
  'ü',
  '日本',
  '🚢',
  'function f() {}\n',
  'def g(): pass\n',
  'class C {}\n',
  '// ',
  '# ',
]

it.each(Object.keys(texts))('an incremental outline of %s equals a full parse after each change', async (id) => {
  const notices: string[] = []
  const reader = createSymbolReader({ grammars, onNotice: (message) => notices.push(message), milliseconds: 60_000 })
  const drafts = createDraftOutlines(reader)
  const language = languages.find((one) => one.id === id)
  const random = seededRandom()
  let text = texts[id] ?? ''
  for (let round = 0; round < roundsOf(400); round++) {
    const { found, problem } = await drafts.read(language, 'a', text, (run) => run())
    const anew = await reader.read(language, text)
    expect({ symbols: found.symbols, problem }, text).toEqual({ symbols: anew.found.symbols, problem: anew.problem })
    const start = random.integer(text.length + 1)
    text = text.slice(0, start) + random.pick(pieces) + text.slice(start + random.integer(4))
  }
  drafts.close()
  expect(notices).toEqual([])
})

it('keeps the trees of a few files, and drops a tree if the language changes', async () => {
  const reader = createSymbolReader({ grammars, onNotice: (message) => expect.unreachable(message) })
  const drafts = createDraftOutlines(reader)
  const typescript = languages.find((one) => one.id === 'typescript')
  const javascript = languages.find((one) => one.id === 'javascript')
  for (let round = 0; round < 20; round++) {
    const { found } = await drafts.read(
      round % 2 === 0 ? typescript : javascript,
      `file${round % 7}`,
      `function f${round}() {}`,
      (run) => run(),
    )
    expect(found.symbols.map(({ name }) => name)).toEqual([`f${round}`])
  }
  drafts.close()
})
