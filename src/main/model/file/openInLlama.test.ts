import { expect, test } from 'vitest'
import { ownGraphicsMemory, refusal } from './openInLlama.ts'

test.each([
  ['llama_init_from_model: failed to initialize the context: std::bad_alloc', 'There is not enough memory for a: '],
  [
    'ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 1',
    'There is not enough memory for a: ',
  ],
  ["llama_model_load: unknown model architecture: 'novel'", 'a has the architecture "novel"'],
  ['tensor data is not within the file bounds', 'llama.cpp cannot load /a.gguf: '],
])('a failure of llama.cpp is explained: %s', (logged, message) => {
  expect(refusal('/a.gguf', 'novel', [logged], new Error('Failed to load model')).message).toContain(message)
})

test.each([
  ['a card of its own', { free: 8000, unifiedSize: 0 }, 8000],
  ['one that shares all memory with the system', { free: 12_000, unifiedSize: 16_000 }, 0],
  ['one that shares a part', { free: 12_000, unifiedSize: 8000 }, 4000],
  ['none', undefined, 0],
])('the memory of a graphics card counts in addition to that of the system: %s', (_, graphics, bytes) => {
  expect(ownGraphicsMemory(graphics)).toBe(bytes)
})
