/**
 * Stories that a short run also plays on the desktop harness; a long run plays all. They are quick and cover the differences
 * between hosts: transport, dialogs, reloads, keys, and the processes that main starts (ripgrep, terminals, workers). A test
 * checks that each exists.
 */
export const chosenStories = [
  'the tour searches, reads, patches, replaces a selection, runs tests after approval and ends with a summary',
  'open a folder, edit a file and save it',
  'line endings and encoding of a file survive an edit by hand',
  'without a folder, the window shows what to do, and the folder picker opens one',
  'a command runs after it is approved, and its output shows',
  'a refused command does not run, and the model reads the reason',
  'a sandboxed command is denied network, and runs again with it after approval',
  'any tool can be run from the console, with the same approvals',
  'two conversations run at the same time without mixing',
  'a message typed while a turn runs is queued, and sent after it',
  'a file changed on disk is reloaded in a clean tab, and is a conflict in one with unsaved changes',
  'the explorer shows new files and removes deleted ones',
  'the model reads the selection and replaces it',
  'an edit shows in an open clean tab at once, stays clean, and is one undo step',
  'an edit is undone with the button of its card',
  'an endpoint that is down is explained with a hint, and works once it is up',
  'a first session works by keyboard alone: tree, editor, palette, chat, approval',
  'a new terminal gets the keyboard focus',
  'a multi-patch of which one patch fails leaves the file untouched',
  'a reload in the middle of a turn restores tabs, conversation, the running turn and the pending approval',
  'unsaved text survives a reload',
  'the search is restored after a reload',
  'after a bad turn, files and conversation are restored, the message is edited, and the restore can be undone',
  'F12 and Ctrl+click go to the definition in another file, and Alt+Left comes back',
  'the outline follows editor, cursor and typing, and leads to a symbol',
  'the audit log lists what was allowed and refused, by whom, and can be filtered',
  'the window has no WebRTC, and text becomes neither HTML nor a script address',
  'a new folder is restricted: no command runs, and the dialog lists what trust turns on; after that a command runs',
  'with web access off, nothing is fetched and no approval is requested',
  'cautious mode runs a test command in the sandbox without approval, and asks before network',
  'a notification shows that an approval waits while the window is not in front, and a click focuses its card',
]

/** Matches the chosen stories and those in this folder. */
export const chosenPattern = [
  new RegExp(chosenStories.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')),
  /desktop\/\w+\.spec\.ts/,
]
