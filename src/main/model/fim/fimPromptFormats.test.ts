import { expect, test } from 'vitest'
import { fimFamilies, fimFamily } from './fimPromptFormats.ts'
import { nextEditFormats } from './nextEditFormats.ts'

const file = { path: 'src/a.ts', before: 'BEFORE', after: 'AFTER' }

test.each(fimFamilies)('$name: the prompt ends where the middle begins, and cites its source', (family) => {
  const plain = family.prompt(file, [])
  const withChunks = family.prompt(file, [{ path: 'src/b.ts', text: 'CHUNK' }])
  for (const prompt of [plain, withChunks]) {
    expect(prompt.split('BEFORE')).toHaveLength(2)
    expect(prompt.split('AFTER')).toHaveLength(2)
    // Chunks are before the text, so that the server can reuse its prompt cache.
    if (prompt === withChunks) expect(prompt.indexOf('CHUNK')).toBeLessThan(prompt.indexOf('BEFORE'))
  }
  expect(family.tokens.filter((token) => plain.includes(token)).length).toBeGreaterThanOrEqual(2)
  expect(family.source).toMatch(/^https:\/\//)
})

test.each(nextEditFormats)('$name cites its source', ({ source }) => expect(source).toMatch(/^https:\/\//))

test.each([
  ['Qwen2.5-Coder-1.5B-Q8_0.gguf', 'Qwen'],
  ['qwen3-coder:30b', 'Qwen'],
  ['codegemma:2b-code', 'CodeGemma'],
  ['starcoder2:3b', 'StarCoder'],
  ['deepseek-coder-v2:16b', 'DeepSeek Coder'],
  ['codestral:22b', 'Codestral'],
  ['zai-org/GLM-4.7-Flash', 'GLM'],
  ['codellama:7b-code', 'Code Llama'],
  ['ByteDance-Seed/Seed-Coder-8B-Base', 'Seed-Coder'],
  ['granite-code:3b', 'Granite'],
  ['ibm/granite4:350m-h-base', 'Granite 4'],
  ['JetBrains/Mellum-4b-base', 'Mellum'],
  ['llama3.2:3b', undefined],
])('%s is of the family %s', (model, name) => expect(fimFamily(model)?.name).toBe(name))
