/**
 * Stories that a short run also plays on the desktop harness; a long run plays all. They are quick and cover the
 * differences between hosts: transport, dialogs, reloads, keys, and the processes that main starts (ripgrep, terminals,
 * workers). A test checks that each exists.
 */
export const chosenStories = [
  'the tour searches, reads, patches, replaces a selection, runs tests after approval and ends with a summary',
  'open a folder, edit a file and save it',
  'without a folder, the window shows what to do, and the folder picker opens one',
  'a command runs after it is approved, and its output shows',
  'a sandboxed command is denied network, and runs again with it after approval',
  'a file changed on disk is reloaded in a clean tab, and is a conflict in one with unsaved changes',
  'the model reads the selection and replaces it',
  'a first session works by keyboard alone: tree, editor, palette, chat, approval',
  'a reload in the middle of a turn restores tabs, conversation, the running turn and the pending approval',
  'a secret file and a protected path require approval, in yolo mode too, and searches exclude secrets',
  'read-only commands run without approval, and a card explains which command of a line needs it',
  'a new folder is restricted: no command runs, and the dialog lists what trust turns on; after that a command runs',
  'a notification shows that an approval waits while the window is not in front, and a click focuses its card',
  'a next edit appears as a diff, and Tab jumps to it and accepts it',
  'the explorer shows new files and removes deleted ones',
  'a new terminal gets the keyboard focus',
  'with web access off, nothing is fetched and no approval is requested',
  'an inline edit shows its diff in place, is refined, and is accepted as one undo step',
  'a change is staged in the diff and committed, and the log shows the commit with its file',
  'changes of the agent show in the editor by the hunk: one is kept, one undone by key, one edited by hand',
]

/** Matches the chosen stories and those in this folder. */
export const chosenPattern = [
  new RegExp(chosenStories.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')),
  /desktop\/\w+\.spec\.ts/,
]
