import type { Llama, LlamaModel } from 'node-llama-cpp'
import { availableParallelism } from 'node:os'
import { availableMemory } from 'node:process'
import { asSentence } from '../../base/asSentence.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { log } from '../../base/log/log.ts'
import { ModelError } from '../modelClient.ts'
import { readGgufHeader, type GgufHeader } from './ggufHeader.ts'
import type { ModelFileOptions } from './modelFileMessages.ts'
import { modelName, modelSize } from './modelFileParts.ts'

/** Memory besides weights and cache, in bytes: llama.cpp's buffers and the system's needs. */
const reserve = 256 * 1024 * 1024

/**
 * Checks the file and the memory, and loads the model.
 * @returns the model, and a function for later failures, which frees the memory and throws the ModelError
 * @throws ModelError `no_model`
 */
export async function openInLlama(
  { file, contextSize, gpu, freeMemory }: ModelFileOptions,
  onProgress: (share: number) => void,
): Promise<{ llama: Llama; model: LlamaModel; header: GgufHeader; refuse(error: unknown): Promise<never> }> {
  const header = await readGgufHeader(file)
  const size = await modelSize(file)
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp')
  const problems: string[] = []
  const llama = await getLlama({
    gpu: gpu ? 'auto' : false,
    // Uses only the builds in the packages: nothing is compiled or downloaded.
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    // Threads wait for each other in busy loops, so more threads than free cores make answers many times slower.
    maxThreads: Math.max(1, availableParallelism() - 1),
    logLevel: LlamaLogLevel.warn,
    logger(level, message) {
      log.warn(`llama.cpp: ${message.trim()}`)
      if (level === 'error' || level === 'fatal') problems.push(message.trim())
    },
  })
  const graphics = llama.gpu === false ? undefined : await llama.getVramState()
  checkMemory({
    file,
    size,
    cache: header.cachePerToken * contextSize,
    free: freeMemory ?? availableMemory() + ownGraphicsMemory(graphics),
  })

  const refused = (error: unknown): ModelError => refusal(file, header.architecture, problems, error)
  const model = await llama
    .loadModel({ modelPath: file, gpuLayers: { fitContext: { contextSize } }, onLoadProgress: onProgress })
    .catch((error: unknown) => {
      throw refused(error)
    })
  return {
    llama,
    model,
    header,
    async refuse(error) {
      // Frees the memory, because the next message loads the model again.
      await model.dispose()
      throw error instanceof ModelError ? error : refused(error)
    },
  }
}

/**
 * Returns the free memory of a graphics card in bytes, without memory shared with the system. Apple's and integrated
 * ones share all of it.
 */
export function ownGraphicsMemory(
  graphics: Pick<Awaited<ReturnType<Llama['getVramState']>>, 'free' | 'unifiedSize'> | undefined,
): number {
  return graphics === undefined ? 0 : Math.max(0, graphics.free - graphics.unifiedSize)
}

function checkMemory({ file, size, cache, free }: { file: string; size: number; cache: number; free: number }): void {
  const needed = size + cache + reserve
  if (needed <= free) return
  throw new ModelError(
    'no_model',
    `${modelName(file)} needs about ${formatSize(needed)} of memory (model ${formatSize(size)}, context ${formatSize(cache)}), ` +
      `but only ${formatSize(free)} is free.`,
    'Close other programs, reduce the context window of this endpoint, or select a smaller quantization of the model.',
  )
}

/** @param problems errors that llama.cpp logged */
export function refusal(file: string, architecture: string, problems: readonly string[], error: unknown): ModelError {
  const text = [...problems, error instanceof Error ? error.message : String(error)].join(' ')
  if (/unknown model architecture|unsupported model architecture/i.test(text))
    return new ModelError(
      'no_model',
      `${modelName(file)} has the architecture "${architecture}", which the llama.cpp in this version of Tizona does not support.`,
      'Select another model, or serve this one with a current llama-server.',
      { cause: error },
    )
  if (/memory|failed to allocate|bad_alloc/i.test(text))
    return new ModelError(
      'no_model',
      `There is not enough memory for ${modelName(file)}: ${oneSentence(text)}`,
      'Reduce the context window of this endpoint, or select a smaller model.',
      { cause: error },
    )
  return new ModelError(
    'no_model',
    `llama.cpp cannot load ${file}: ${oneSentence(problems[0] ?? text)}`,
    'The file may be damaged. Download it again, or select another one.',
    { cause: error },
  )
}

function oneSentence(text: string): string {
  return asSentence(text.replace(/\s+/g, ' ').slice(0, 300))
}
