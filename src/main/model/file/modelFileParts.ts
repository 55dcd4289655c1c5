import { stat } from 'node:fs/promises'
import path from 'node:path'
import { plural } from '../../../shared/text/plural.ts'
import { ModelError } from '../modelClient.ts'

const partName = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/

/** Returns the size in bytes of a model, which may be split into several files. @throws ModelError `no_model` */
export async function modelSize(file: string): Promise<number> {
  const sizes = await Promise.all(
    partsOf(file).map(async (part) => {
      try {
        return (await stat(part)).size
      } catch (cause) {
        throw new ModelError(
          'no_model',
          part === file
            ? `There is no file ${file}.`
            : `The model is split into several files, and ${part} is missing.`,
          part === file ? 'Correct the path in the settings.' : 'Download all of its files into one folder.',
          { cause },
        )
      }
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** @throws ModelError `no_model` if a file is a later part of a model, which is opened by its first part */
export function checkFirstPart(file: string): void {
  const [, base, part, count] = partName.exec(path.basename(file)) ?? []
  if (base === undefined || part === undefined || Number(part) <= 1) return
  throw new ModelError(
    'no_model',
    `${file} is part ${Number(part)} of a model in ${plural(Number(count), 'file')}.`,
    `Select the first one: ${partPath(file, base, 1, count ?? '')}.`,
  )
}

function partPath(file: string, base: string, part: number, count: string): string {
  return path.join(path.dirname(file), `${base}-${String(part).padStart(5, '0')}-of-${count}.gguf`)
}

function partsOf(file: string): string[] {
  const [, base, , count] = partName.exec(path.basename(file)) ?? []
  if (base === undefined || count === undefined) return [file]
  return Array.from({ length: Number(count) }, (_, at) => partPath(file, base, at + 1, count))
}

/** Returns a model's name from its file name, e.g. `Qwen3-8B-Q4_K_M`. */
export function modelName(file: string): string {
  const name = path.basename(file).replace(/\.gguf$/i, '')
  return partName.exec(path.basename(file))?.[1] ?? name
}
