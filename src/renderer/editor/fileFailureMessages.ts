import type { Failure } from '../../shared/errors.ts'

/** The message for a user whose file cannot be shown. The failure's own `next` is for the model. */
export interface FileFailureMessage {
  icon: string
  title: string
  text: string
  /** Whether trying again can succeed without a change of the file. The tab reacts to changes of the file itself. */
  retry: boolean
}

/** Main adds the kind and size of a binary file in parentheses. */
function binaryText(message: string): string {
  const [, kind] = /is a binary file \(([^()]+)\)/.exec(message) ?? []
  return `This file is binary${kind ? ` (${kind})` : ''} and cannot be edited as text.`
}

export function fileFailureMessage({ code, message }: Failure): FileFailureMessage {
  switch (code) {
    case 'binary_file':
      return { icon: 'file-binary', title: 'This is not a text file', text: binaryText(message), retry: false }
    case 'too_large':
      return { icon: 'database', title: 'This file is too large to edit', text: message, retry: false }
    case 'invalid_encoding':
      return {
        icon: 'warning',
        title: 'The text cannot be decoded',
        text: `${message} Convert it to UTF-8 to edit it here.`,
        retry: false,
      }
    case 'is_directory':
      return {
        icon: 'folder',
        title: 'This is a folder',
        text: 'Open a file inside it from the explorer.',
        retry: false,
      }
    case 'outside_workspace':
      return {
        icon: 'shield',
        title: 'This file is outside of the folder',
        text: 'Open its own folder to edit it.',
        retry: false,
      }
    case 'not_found':
      return {
        icon: 'search-stop',
        title: 'The file is not there any more',
        text: 'It was moved or deleted.',
        retry: true,
      }
    case 'permission_denied':
      return {
        icon: 'lock',
        title: 'No permission to read this file',
        text: 'Change its permissions, then try again.',
        retry: true,
      }
    default:
      return { icon: 'error', title: 'The file could not be opened', text: message, retry: true }
  }
}
