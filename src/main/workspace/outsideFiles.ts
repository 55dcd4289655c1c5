import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { absoluteOfOutside, isOutsideFile, outsidePath } from '../../shared/files/outsideFiles.ts'
import type { Buffers } from './buffers.ts'
import { openWorkspace, type Workspace } from './containment.ts'
import { createDocuments, type WindowDocuments } from './documents.ts'
import type { EditorPort } from './editorPort.ts'
import { createFileEncodings, type EncodingRules } from './fileEncodings.ts'

/** Files outside the open folder that the user opens. Only requests of the window reach them, never a tool. */
export type OutsideFiles = Pick<WindowDocuments, 'open' | 'save'>

const noWindow: EditorPort = {
  attached: false,
  ask: () => Promise.reject(new ToolError('no_window', 'Files outside the folder have no tab for tools.')),
}

/** @param dataFolders those of Tizona, which no path may lead into */
export function createOutsideFiles(
  dataFolders: readonly string[],
  encoding: EncodingRules['ofSettings'],
): OutsideFiles {
  const resolve: Workspace['resolve'] = async (requested, options) => {
    if (!isOutsideFile(requested))
      throw new ToolError('invalid_path', `"${requested}" is not a file outside the folder.`)
    const absolute = absoluteOfOutside(requested)
    if (!path.isAbsolute(absolute)) throw new ToolError('invalid_path', `"${absolute}" is not an absolute path.`)
    const real = await realpath(absolute).catch(() => absolute)
    const folder = await openWorkspace(path.dirname(real), { dataFolders })
    const resolved = await folder.resolve(real, options)
    return { ...resolved, relative: outsidePath(resolved.absolute) }
  }
  const encodings = createFileEncodings({ ofSettings: encoding, ofFolder: () => Promise.resolve(undefined) })
  return createDocuments({ resolve }, noWindow, { encodings })
}

/** Returns the mirrored tabs without those of files outside the folder, which tools and servers may not read. */
export function buffersInFolder(buffers: Buffers): Buffers {
  return {
    ...buffers,
    list: () => buffers.list().filter(({ path: name }) => !isOutsideFile(name)),
    get: (name) => (isOutsideFile(name) ? undefined : buffers.get(name)),
    onChanged: (listener) => buffers.onChanged((name) => !isOutsideFile(name) && listener(name)),
  }
}
