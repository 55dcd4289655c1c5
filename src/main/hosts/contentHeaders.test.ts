import { expect, it } from 'vitest'
import { securityHeadersOf } from './contentHeaders.ts'

const scriptsOf = (path: string) =>
  /script-src ([^;]*)/.exec(securityHeadersOf(path)['Content-Security-Policy'] ?? '')?.[1]

it.each(['/', '/assets/index-Ab1.js', '/assets/editor.worker-Cd2.js', '/assets/grammarWorker.css', ''])(
  'the response %s does not allow WebAssembly',
  (path) => expect(scriptsOf(path)).toBe("'self'"),
)

it('the worker for grammars may compile WebAssembly, and nothing else more', () => {
  const { 'Content-Security-Policy': policy, ...others } = securityHeadersOf('/assets/grammarWorker-D6hV_9F-.js')
  const { 'Content-Security-Policy': general, ...same } = securityHeadersOf('/')
  expect(scriptsOf('/assets/grammarWorker-D6hV_9F-.js')).toBe("'self' 'wasm-unsafe-eval'")
  expect(policy?.replace(" 'wasm-unsafe-eval'", '')).toBe(general)
  expect(others).toEqual(same)
})
