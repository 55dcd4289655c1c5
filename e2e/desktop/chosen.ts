/**
 * The stories that a short run plays on the desktop harness as well; a long run plays all. They are quick, and together touch what differs
 * between the window hosts: the page's way to main and back, dialogs, reloads, keys, and everything that main starts (ripgrep, terminals,
 * workers). A test checks that each is there.
 */
export const chosenStories = [
  'the whole tour: search, read, multi-patch, a selection replaced, tests run after approval, a summary',
  'open a folder, edit a file and save it',
  'line endings and encoding of a file survive an edit by hand',
  'without a folder the window says what to do, and the folder picker opens one',
  'a command runs after it is approved, and its output shows',
  'a refused command does not run, and the model reads the reason',
  'any tool runs by hand from the console, through the same gate',
  'two conversations run at the same time and keep to themselves',
  'a message typed while a turn runs is queued, and sent after it',
  'a file changed on disk is reloaded in a clean tab, and asked about in one with unsaved changes',
  'the explorer follows files that appear and go',
  'the model reads the selection and replaces it',
  'an edit shows in an open clean tab at once, stays clean, and is one undo step',
  'an edit is taken back with the button of its card',
  'an endpoint that is down: what, why and what to do; and it works once it is up',
  'everything of a first session by keyboard alone: tree, editor, palette, chat, approval',
  'a new terminal takes the keys, whatever had them',
  'a multi-patch of which one patch fails leaves the file untouched',
  'a reload in the middle of a turn restores tabs, conversation, the running turn and the pending approval',
  'unsaved typing survives a reload',
  'what was searched for is there again after a reload',
  'after a bad turn files and conversation are brought back, the message is written anew, and that can be undone',
  'F12 and Ctrl+click go to the definition in another file, and Alt+Left comes back',
  'the outline follows editor, cursor and typing, and leads to a symbol',
  'with the web switched off nothing is fetched and nobody is asked',
]

/** Matches those, and the stories of what only the desktop has. */
export const chosenPattern = [
  new RegExp(chosenStories.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')),
  /desktop\/\w+\.spec\.ts/,
]
