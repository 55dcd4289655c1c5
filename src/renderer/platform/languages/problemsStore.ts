import { create } from 'zustand'
import { problemSeverities, type FileProblems, type Problem } from '../../../shared/language/languageServers.ts'
import { useLanguages, type LanguageStore } from './languageStore.ts'
import { Delayer } from '../../../shared/async/delayer.ts'

/** Severities that are listed and counted. Hints only appear as dots in the editor. */
export const listedSeverities = ['error', 'warning', 'info'] as const
export type ListedSeverity = (typeof listedSeverities)[number]
export type ListedProblem = Problem & { severity: ListedSeverity }

export interface ListedFile extends FileProblems {
  /** Errors first, then by position. Not empty. */
  problems: ListedProblem[]
}

/** Mark of a file with errors or warnings, or of a folder that contains such a file. */
export interface ProblemMark {
  severity: 'error' | 'warning'
  count: number
}

export interface ProblemsState {
  /** Files with errors first, then by path. */
  files: readonly ListedFile[]
  counts: Readonly<Record<ListedSeverity, number>>
  /** Number of problems that are not listed, because their files have too many. */
  more: number
  /** Marks of files and folders by path. */
  marks: ReadonlyMap<string, ProblemMark>
}

const noProblems: ProblemsState = { files: [], counts: { error: 0, warning: 0, info: 0 }, more: 0, marks: new Map() }

/** Problems of all files, from language servers and the editor. Updated from `useLanguages` with a short delay. */
export const useProblems = create<ProblemsState>(() => noProblems)

const isListed = (problem: Problem): problem is ListedProblem => problem.severity !== 'hint'
const rank = ({ severity }: Problem): number => problemSeverities.indexOf(severity)
const hasErrors = ({ problems }: ListedFile): boolean => problems[0]?.severity === 'error'

function joined(servers: FileProblems | undefined, editor: FileProblems | undefined): Problem[] {
  if (!servers || !editor) return servers?.problems ?? editor?.problems ?? []
  return [...servers.problems, ...editor.problems].toSorted(
    (a, b) => rank(a) - rank(b) || a.range.startLine - b.range.startLine || a.range.startColumn - b.range.startColumn,
  )
}

/** Marks a file and the folders above it. */
function mark(marks: Map<string, ProblemMark>, { path, problems }: ListedFile): void {
  const count = problems.filter(({ severity }) => severity !== 'info').length
  if (count === 0) return
  const severity = problems[0]?.severity === 'error' ? 'error' : 'warning'
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const before = marks.get(at)
    marks.set(at, {
      severity: before?.severity === 'error' ? 'error' : severity,
      count: count + (before?.count ?? 0),
    })
  }
}

/** Pure: computes the listed problems, their counts and the explorer's marks. */
export function listProblems({
  problems,
  editorProblems,
}: Pick<LanguageStore, 'problems' | 'editorProblems'>): ProblemsState {
  const counts = { error: 0, warning: 0, info: 0 }
  const marks = new Map<string, ProblemMark>()
  const files: ListedFile[] = []
  let more = 0
  for (const path of new Set([...Object.keys(problems), ...Object.keys(editorProblems)])) {
    const listed = joined(problems[path], editorProblems[path]).filter(isListed)
    const file = { path, problems: listed, more: problems[path]?.more ?? 0 }
    more += file.more
    if (listed.length === 0) continue
    for (const { severity } of listed) counts[severity] += 1
    mark(marks, file)
    files.push(file)
  }
  files.sort((a, b) => Number(hasErrors(b)) - Number(hasErrors(a)) || (a.path < b.path ? -1 : 1))
  return { files, counts, more, marks }
}

/** Milliseconds for which changes are collected, so that a burst from a server renders once. */
const updateDelayMs = 100

/** Keeps `useProblems` up to date. @returns a function that stops it */
export function followProblems(): () => void {
  const update = new Delayer(() => useProblems.setState(listProblems(useLanguages.getState())), updateDelayMs)
  const stop = useLanguages.subscribe((state, before) => {
    if (state.problems !== before.problems || state.editorProblems !== before.editorProblems) update.start()
  })
  return () => {
    update.cancel()
    stop()
  }
}
