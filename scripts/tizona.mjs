#!/usr/bin/env node
import { join } from 'node:path'
import { commandNames } from './lib/commands.mjs'
import { nodeBinary, root } from './lib/paths.mjs'
import { attached, explain } from './lib/steps.mjs'
import { setup } from './setup.mjs'
import { start } from './start.mjs'

const args = process.argv.slice(2)
try {
  if (commandNames.has(args[0])) {
    await setup()
    // Runs in the caller's folder, because paths on the command line are relative to it.
    process.exitCode = await attached(nodeBinary(), [join(root, 'out', 'main', 'headless.js'), ...args], {
      cwd: process.cwd(),
    })
  } else {
    process.exitCode = await start(args, process.cwd())
  }
} catch (error) {
  process.exitCode = explain(error)
}
