/**
 * Stories outside this folder that a short run also plays on the desktop harness, because the desktop host does their
 * part in its own way: the transport, dialogs, keys, reloads, notifications and the processes that Electron's main
 * process starts. A long run plays all stories on it. A test checks that each exists.
 */
export const chosenStories = [
  'open a folder, edit a file and save it',
  'without a folder, the window shows what to do, and the folder picker opens one',
  'a command runs after it is approved, and its output shows',
  'a first session works by keyboard alone: tree, editor, palette, chat, approval',
  'a reload in the middle of a turn restores tabs, conversation, the running turn and the pending approval',
  'a notification shows that an approval waits while the window is not in front, and a click focuses its card',
  'the explorer shows new files and removes deleted ones',
  'a new terminal gets the keyboard focus',
  'a task is tried several times, compared while it works, taken over once, and the rest is dropped',
  'a plug-in is reviewed and trusted by keyboard, works in a turn, is updated by a diff, and is removed',
  'a person opens the page of the folder, uses it, and picks an element for the model',
]

/** Matches the chosen stories and those in this folder. */
export const chosenPattern = [
  new RegExp(chosenStories.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')),
  /desktop\/\w+\.spec\.ts/,
]
