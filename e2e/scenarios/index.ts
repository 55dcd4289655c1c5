import type { Scenario } from '../../src/main/model/scripted/scenario.ts'
import { tourScenario } from '../../src/main/playback/tourScenario.ts'
import { approvalReload } from './approvalReload.ts'
import { askedBatch } from './askedBatch.ts'
import { badTurn } from './badTurn.ts'
import { bladeTools } from './bladeTools.ts'
import { carried } from './carried.ts'
import { completion } from './completion.ts'
import { cutOff } from './cutOff.ts'
import { editOpenFile } from './editOpenFile.ts'
import { failingMultiPatch } from './failingMultiPatch.ts'
import { fetchPage } from './fetchPage.ts'
import { guardedPlaces } from './guardedPlaces.ts'
import { guided } from './guided.ts'
import { httpErrors } from './httpErrors.ts'
import { inlineEdit } from './inlineEdit.ts'
import { invalidArguments } from './invalidArguments.ts'
import { delegatedTask } from './delegatedTask.ts'
import { investigate } from './investigate.ts'
import { longAnswer } from './longAnswer.ts'
import { longOutput } from './longOutput.ts'
import { longTask } from './longTask.ts'
import { parallelCalls } from './parallelCalls.ts'
import { pathEscape } from './pathEscape.ts'
import { reviewedEdits } from './reviewedEdits.ts'
import { reviewedTurns } from './reviewedTurns.ts'
import { runCommand } from './runCommand.ts'
import { rustantTools } from './rustantTools.ts'
import { rustyTools } from './rustyTools.ts'
import { selectionReplace } from './selectionReplace.ts'
import { silentCut } from './silentCut.ts'
import { serverTool } from './serverTool.ts'
import { slowAnswer } from './slowAnswer.ts'
import { twoConversations } from './twoConversations.ts'
import { ultraSushiTronTools } from './ultraSushiTronTools.ts'

/** All scenarios of the scripted endpoint. */
export const scenarios = {
  approvalReload,
  askedBatch,
  badTurn,
  bladeTools,
  carried,
  completion,
  cutOff,
  editOpenFile,
  failingMultiPatch,
  fetchPage,
  guardedPlaces,
  guided,
  httpErrors,
  inlineEdit,
  invalidArguments,
  delegatedTask,
  investigate,
  longAnswer,
  longOutput,
  longTask,
  parallelCalls,
  pathEscape,
  reviewedEdits,
  reviewedTurns,
  runCommand,
  rustantTools,
  rustyTools,
  selectionReplace,
  silentCut,
  serverTool,
  slowAnswer,
  tour: tourScenario,
  twoConversations,
  ultraSushiTronTools,
} satisfies Record<string, Scenario>
