import { ToolError } from '../../shared/errors.ts'
import type { Images } from '../history/images.ts'
import { expandPromptCommand, listPromptCommands } from '../instructions/promptFiles.ts'
import type { InstructionDeps } from '../instructions/instructionFiles.ts'
import type { Handlers } from './handlers.ts'

/**
 * Handles requests of the message composer: pictures and prompt files.
 * @param instructions returns the dependencies for the open folder; throws ToolError no_workspace
 */
export function createPromptHandlers(
  images: Images,
  instructions: () => InstructionDeps,
): Pick<Handlers, 'images.add' | 'images.read' | 'prompts.list' | 'prompts.expand'> {
  return {
    'images.add': ({ label, data }) => {
      const bytes = Buffer.from(data, 'base64')
      if (bytes.length === 0) throw new ToolError('invalid_arguments', `"${label}" is empty.`, 'Choose another image.')
      return images.add(label, bytes)
    },
    'images.read': ({ id }) => images.read(id) ?? null,
    'prompts.list': (_, signal) => listPromptCommands(instructions(), signal),
    'prompts.expand': ({ name, args }, signal) => expandPromptCommand(instructions(), name, args, signal),
  }
}
