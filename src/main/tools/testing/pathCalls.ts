// A valid call of every tool for every parameter that names a file or folder.

/** The file that the calls name. */
export const calledFile = 'src/app/main.rs'
const file = calledFile
const folder = 'src/app'
export const calledFiles = { [file]: 'fn main() {}\n', 'src/app/other.rs': 'fn other() {}\n' }
type Calls = Record<string, readonly (readonly [parameter: string, args: Record<string, unknown>])[]>
const rust = { path: file, line: 1, name: 'main' }
const tizona: Calls = {
  get_diagnostics: [['path', { path: file }]],
  code_actions: [['path', { path: file, line: 1 }]],
  rename_symbol: [['path', { ...rust, new_name: 'start' }]],
}
const notebook = { path: file, cell: 1 }
const notebooks: Calls = {
  notebook_read: [['path', { path: file }]],
  notebook_edit: [['path', { ...notebook, action: 'replace', new_source: 'x' }]],
  notebook_run: [['path', notebook]],
}
const diff = '@@ -1 +1 @@\n-fn main() {}\n+fn start() {}\n'
/** A call for each parameter that names files, by toolset and tool. */
export const pathCalls: Readonly<Record<string, Calls>> = {
  blade: {
    read_file: [['path', { path: file }]],
    read_file_range: [['path', { path: file, start_line: 1 }]],
    read_many_files: [
      ['paths', { paths: [file] }],
      ['exclude', { paths: [folder], exclude: [file] }],
    ],
    grep_search: [['path', { pattern: 'main', path: file }]],
    codebase_search: [['file_pattern', { query: 'main', file_pattern: file }]],
    find_files: [['path', { pattern: 'main', path: folder }]],
    find_files_glob: [
      ['path', { pattern: '*.rs', path: folder }],
      ['pattern', { pattern: file }],
    ],
    list_dir: [['path', { path: folder }]],
    get_workspace_structure: [['path', { path: folder }]],
    get_file_info: [['path', { path: file }]],
    symbol_search: [['path', { query: 'main', path: file }]],
    symbol_resolve: [['path', { path: file, name: 'main' }]],
    symbol_outline: [['path', { path: file }]],
    symbol_graph: [['path', { path: file, name: 'main' }]],
    get_project_index_overview: [['path', { path: folder }]],
    get_project_index_chunk: [['path', { path: folder }]],
    codebase_investigator: [['scope', { objective: 'Where is main?', scope: [file] }]],
    apply_patch: [
      ['path', { path: file, old_text: 'main', new_text: 'start' }],
      ['patch', { patch: `*** Begin Patch\n*** Update File: ${file}\n-fn main() {}\n+fn start() {}\n*** End Patch` }],
    ],
    edit_file: [['path', { path: file, old_content: 'main', new_content: 'start' }]],
    write_file: [['path', { path: file, content: 'fn start() {}\n' }]],
    create_directory: [['path', { path: folder }]],
    move_file: [
      ['source', { source: file, destination: 'moved.rs' }],
      ['destination', { source: 'src/app/other.rs', destination: file, overwrite: true }],
    ],
    copy_file: [
      ['source', { source: file, destination: 'copied.rs' }],
      ['destination', { source: 'src/app/other.rs', destination: file, overwrite: true }],
    ],
    delete_file: [['path', { path: file }]],
    run_command: [['cwd', { command: 'true', cwd: folder }]],
    open_file: [['path', { path: file }]],
    ...tizona,
    ...notebooks,
  },
  ultrasushitron: {
    Read: [['file_path', { file_path: file }]],
    Grep: [['path', { pattern: 'main', path: file }]],
    Find: [
      ['path', { pattern: '*.rs', path: folder }],
      ['pattern', { pattern: file }],
    ],
    ListDir: [['path', { path: folder }]],
    Edit: [['file_path', { file_path: file, old_string: 'main', new_string: 'start' }]],
    Patch: [['file_path', { file_path: file, patch: diff }]],
    Write: [['file_path', { file_path: file, content: 'x\n' }]],
    Diff: [
      ['file_a', { file_a: file, text_b: 'x' }],
      ['file_b', { file_b: file, text_a: 'x' }],
    ],
  },
  rustant: {
    file_read: [['path', { path: file }]],
    file_search: [
      ['path', { pattern: '*.rs', path: folder }],
      ['pattern', { pattern: file }],
    ],
    file_list: [['path', { path: folder }]],
    file_patch: [['path', { path: file, patch: diff }]],
    file_write: [['path', { path: file, content: 'x\n' }]],
    git_status: [['path', { path: folder }]],
    git_diff: [['path', { path: file }]],
    git_commit: [['path', { message: 'm', path: folder }]],
    document_read: [['path', { path: file }]],
    smart_edit: [['path', { path: file, location: 'line 1', operation: 'delete' }]],
  },
  rusty: {
    file_read: [['path', { path: file }]],
    file_edit: [['path', { path: file, old_string: 'main', new_string: 'start' }]],
    file_write: [['path', { path: file, content: 'x\n' }]],
    apply_patch: [
      ['patch', { patch: `*** Begin Patch\n*** Update File: ${file}\n-fn main() {}\n+fn start() {}\n*** End Patch` }],
    ],
  },
}
/** Tools that fail here because there is no window, repository, document or notebook. Their arguments are still compared. */
export const failingCalls: ReadonlySet<string> = new Set([
  'notebook_read',
  'notebook_edit',
  'notebook_run',
  'get_diagnostics',
  'open_file',
  'git_status',
  'git_diff',
  'git_commit',
  'document_read',
  'rename_symbol',
  'code_actions',
])
