import { expect, test } from 'vitest'
import { isChatModel, isEmbeddingModel } from './chatModels.ts'

test.each([
  'nomic-embed-text',
  'nomic-embed-text:latest',
  'mxbai-embed-large',
  'snowflake-arctic-embed2',
  'Qwen/Qwen3-Embedding-0.6B',
  'text-embedding-3-small',
  'BAAI/bge-m3',
  'thenlper/gte-large',
  'intfloat/e5-mistral-7b-instruct',
  'multilingual-e5-large',
  'all-minilm',
  'sentence-transformers/all-MiniLM-L6-v2',
  'jina-reranker-v2-base',
  'Qwen3-Reranker-4B',
  'mxbai-rerank-xsmall',
  '/models/embeddinggemma-300m.gguf',
  'colbert-ir/colbertv2.0',
])('%s is not offered for chat', (id) => {
  expect(isChatModel(id)).toBe(false)
})

test.each([
  'qwen3:8b',
  'gemma-3n-e4b',
  'llama3.2',
  'mistralai/Devstral-Small-2507',
  'gpt-oss:20b',
  'phi-4',
  'granite-3.3-8b',
  'bigger-model',
  'ranker-7b',
])('%s is offered for chat', (id) => {
  expect(isChatModel(id)).toBe(true)
})

test("the server's metadata takes precedence over the name", () => {
  expect(isChatModel('my-embedded-assistant')).toBe(true)
  expect(isChatModel('bge-chat', { capabilities: ['completion'] })).toBe(true)
  expect(isChatModel('mystery', { capabilities: ['embedding'] })).toBe(false)
  expect(isChatModel('mystery', { type: 'embeddings' })).toBe(false)
  expect(isChatModel('mystery', { task: 'score' })).toBe(false)
})

test.each([
  ['Qwen/Qwen3-Embedding-0.6B', {}, true],
  ['nomic-embed-text', { capabilities: ['embedding'] }, true],
  ['mystery', { type: 'embeddings' }, true],
  ['mystery', { task: 'score' }, false],
  ['Qwen3-Reranker-4B', {}, false],
  ['bge-reranker-v2-m3', {}, false],
  ['bge-chat', { capabilities: ['completion', 'embedding'] }, false],
  ['qwen3:8b', {}, false],
])('whether %s with %o computes embeddings', (id, entry, expected) => {
  expect(isEmbeddingModel(id, entry)).toBe(expected)
})
