export function subjectProblem(subject: string): string | null
export function badCommits(folder: string, start?: { commit: string; date: string }): string[]
