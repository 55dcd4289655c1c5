import type { FileProblems, LanguageServerStatus } from '../../../shared/language/languageServers.ts'
import type { EventRows, RequestRows } from './sampleTypes.ts'

const server: LanguageServerStatus = {
  id: 'typescript',
  title: 'TypeScript 7',
  languages: ['TypeScript'],
  state: 'running',
  detail: 'TypeScript 7.0.2 of Tizona.',
  installable: false,
  memory: 1024,
}
const range = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 3 }
const problems: FileProblems = {
  path: 'señal.ts',
  problems: [
    { range, severity: 'error', message: 'No «x».', source: 'ts', code: '2304', tags: ['unnecessary'], related: [] },
  ],
  more: 0,
}
const state = { servers: [server], problems: [problems], programs: ['node_modules/.bin/prettier'] }
const place = { path: 'a.ts', line: 1, column: 2 }
const edit = { range, text: 'é' }
const list = { list: 'l1', index: 0 }

export const languageRequestRows: Pick<RequestRows, Extract<keyof RequestRows, `language.${string}`>> = {
  'language.state': { send: {}, handled: {}, result: state },
  'language.features': {
    send: { path: 'a.ts' },
    handled: { path: 'a.ts' },
    result: {
      completionTriggers: ['.'],
      signatureTriggers: ['('],
      signatureRetriggers: [],
      formatting: true,
      rangeFormatting: false,
      foldingRanges: true,
      inlayHints: false,
      semanticTokens: true,
      semanticTokensOfRanges: true,
      codeActions: true,
    },
  },
  'language.completion': {
    send: { ...place, trigger: '.' },
    handled: { ...place, trigger: '.' },
    result: { id: 'l1', items: [{ label: 'x', kind: 6, insertText: 'x', snippet: false, range }], incomplete: true },
  },
  'language.resolveCompletion': { send: list, handled: list, result: { detail: 'string', additionalEdits: [edit] } },
  'language.signatureHelp': {
    send: place,
    handled: { ...place, retrigger: false },
    result: {
      signatures: [{ label: 'f(a)', parameters: [{ label: [2, 3] }] }],
      activeSignature: 0,
      activeParameter: 0,
    },
  },
  'language.codeActions': {
    send: { path: 'a.ts', range },
    handled: { path: 'a.ts', range },
    result: {
      id: 'l1',
      actions: [{ index: 0, title: 'Add import', kind: 'quickfix', preferred: true, disabled: '', fixes: ['No x.'] }],
    },
  },
  'language.runCodeAction': { send: list, handled: list, result: [{ path: 'a.ts', textHash: '2-1a', edits: [edit] }] },
  'language.willMove': {
    send: { moves: [{ from: 'a.ts', to: 'b.ts' }] },
    handled: { moves: [{ from: 'a.ts', to: 'b.ts' }] },
    result: { files: [{ path: 'c.ts', textHash: '2-1a', edits: [edit] }], unclear: [], ask: true },
  },
  'language.format': {
    send: { path: 'a.ts', tabSize: 2, spaces: true },
    handled: { path: 'a.ts', tabSize: 2, spaces: true },
    result: [edit],
  },
  'language.foldingRanges': {
    send: { path: 'a.ts' },
    handled: { path: 'a.ts' },
    result: [{ startLine: 1, endLine: 2, kind: 'imports' }],
  },
  'language.inlayHints': {
    send: { path: 'a.ts', range },
    handled: { path: 'a.ts', range },
    result: [{ line: 1, column: 2, text: ': x', kind: 'type', paddingLeft: true, paddingRight: false }],
  },
  'language.semanticTokens': {
    send: { path: 'a.ts', range },
    handled: { path: 'a.ts', range },
    result: { data: [0, 1, 2, 3, 0] },
  },
  'language.libraryFile': {
    send: { id: 'i1' },
    handled: { id: 'i1' },
    result: { path: '/usr/lib/python3/señal.py', text: 'x = 1\n' },
  },
  'language.restart': { send: { server: 'typescript' }, handled: { server: 'typescript' }, result: state },
  'language.log': { send: { server: 'typescript' }, handled: { server: 'typescript' }, result: ['Started'] },
  'language.install': { send: { server: 'yaml' }, handled: { server: 'yaml' }, result: state },
  'language.allowProgram': { send: { path: 'a/señal' }, handled: { path: 'a/señal' }, result: state },
}

export const languageEventRows: Pick<EventRows, Extract<keyof EventRows, `language.${string}`>> = {
  'language.servers': [server],
  'language.programs': ['node_modules/.bin/señal'],
  'language.problems': problems,
}
