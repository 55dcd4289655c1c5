import type { CoreTool } from '../toolset.ts'

/**
 * Blade's tools for small context windows: edit_file instead of apply_patch, whose list of patches costs twice as many
 * tokens.
 */
export const bladeCore: Readonly<Record<string, CoreTool>> = {
  read_file: { brief: 'Reads a whole text file.', minimal: true },
  read_file_range: {
    brief: 'Reads some lines of a text file, with their numbers.',
    optional: ['start_line', 'end_line'],
    minimal: true,
  },
  grep_search: { brief: 'Searches file contents; returns `path:line:text`.', optional: ['path'], minimal: true },
  list_dir: { brief: 'Lists a folder.', optional: ['path'], minimal: true },
  symbol_search: { brief: 'Finds definitions by name.' },
  edit_file: { brief: 'Replaces one piece of text in a file; it must occur once.', minimal: true },
  write_file: { brief: 'Writes a whole text file.', minimal: true },
  run_command: { brief: 'Runs a command.', required: ['command'], optional: ['cwd'], minimal: true },
}

/**
 * Further tools for context windows of about 16k tokens: several files at once, symbols, `batch` and background
 * commands.
 */
export const bladeMedium: Readonly<Record<string, CoreTool>> = {
  read_many_files: { optional: ['exclude'] },
  find_files: { optional: ['path'] },
  list_dir: { optional: ['path', 'max_depth'] },
  symbol_search: { optional: ['path', 'kind'] },
  symbol_resolve: { optional: ['symbol_id', 'name', 'path'] },
  symbol_outline: {},
  batch: {},
  delete_file: { optional: ['recursive'] },
  run_command: { required: ['command'], optional: ['cwd', 'blocking', 'timeout_ms'] },
  read_command_output: { optional: ['wait_ms'] },
  stop_command: {},
}
