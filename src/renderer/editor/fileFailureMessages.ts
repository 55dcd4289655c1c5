import type { Failure } from '../../shared/errors.ts'

/** Message for the user about a file that cannot be shown. The `next` of the failure addresses the model. */
export interface FileFailureMessage {
  icon: string
  title: string
  text: string
  /** Whether to offer "Try again". A tab reloads by itself when its file changes on disk. */
  retry: boolean
}

/** Builds the message for a binary file from main's message, which ends with the kind and size in parentheses. */
function binaryText(message: string): string {
  const [, kind] = /is a binary file \(([^()]+)\)/.exec(message) ?? []
  return `This file is binary${kind ? ` (${kind})` : ''} and cannot be edited as text.`
}

/** Describes why a file cannot be shown and what the user can do. */
export function fileFailureMessage({ code, message }: Failure): FileFailureMessage {
  switch (code) {
    case 'binary_file':
      return { icon: 'file-binary', title: 'This is not a text file', text: binaryText(message), retry: false }
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
        title: 'This file is outside the folder',
        text: 'Open the folder that contains it to edit it.',
        retry: false,
      }
    case 'not_found':
      return {
        icon: 'search-stop',
        title: 'The file no longer exists',
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
